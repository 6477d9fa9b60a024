package serbench;

/**
 * An operation that is ready to be timed, and how to look at what a pass left of its last message.
 *
 * @param left bytes of what it left, of this kind; null where the operation gives a sum
 * @param sum the sum that it gave; null where it gives none
 * @param walks whether that is the sum of a walk
 * @param destination puts another object in the place of that which is decoded into and used again; null
 *     where there is none
 */
record Timed(Pass pass, LeftFile.Kind kind, Left left, Sum sum, boolean walks, Destination destination) {
  /** The bytes of what an operation left of its last message. */
  interface Left {
    Bytes bytes() throws Exception;
  }

  /** A sum that an operation gave. */
  interface Sum {
    long get();
  }

  /** The object that is decoded into and used again. */
  interface Destination {
    void set(Object root);
  }

  /** An operation that leaves bytes that it encoded. */
  static Timed encoding(Pass pass, Left left) {
    return new Timed(pass, LeftFile.Kind.ENCODED, left, null, false, null);
  }

  /** An operation that leaves what has canonical bytes. */
  static Timed decoding(Pass pass, Left left, Destination destination) {
    return new Timed(pass, LeftFile.Kind.CANONICAL, left, null, false, destination);
  }

  /** An operation that gives a sum. */
  static Timed summing(Pass pass, Sum sum, boolean walks, Destination destination) {
    return new Timed(pass, LeftFile.Kind.SUM, null, sum, walks, destination);
  }

  /** The outcome of the last pass, kept in parts, so that it need not be an object. */
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
