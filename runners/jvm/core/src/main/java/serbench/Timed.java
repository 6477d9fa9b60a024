package serbench;

/**
 * An operation that is ready to be timed, and how to look at what a pass left of its last message.
 *
 * @param left appends its canonical bytes; null where the operation gives a sum
 * @param sum the sum that it gave; null where it gives none
 * @param walks whether that is the sum of a walk
 */
record Timed(Pass pass, Left left, Sum sum, boolean walks) {
  /** What an operation left of its last message. */
  interface Left {
    void write(CanonicalWriter out) throws Exception;
  }

  /** A sum that an operation gave. */
  interface Sum {
    long get();
  }

  Timed(Pass pass, Left left) {
    this(pass, left, null, false);
  }

  /** What the last pass left, kept in parts, so that it need not be an object. */
  static final class Last {
    private byte[] array;
    private int offset;
    private int length;
    private Object value;
    private long sum;

    /** Keeps bytes by their parts: the view itself need not exist. */
    void set(byte[] array, int offset, int length) {
      this.array = array;
      this.offset = offset;
      this.length = length;
    }

    void set(Object value) {
      this.value = value;
    }

    void set(long sum) {
      this.sum = sum;
    }

    Bytes bytes() {
      return new Bytes(array, offset, length);
    }

    Object value() {
      return value;
    }

    long sum() {
      return sum;
    }
  }
}
