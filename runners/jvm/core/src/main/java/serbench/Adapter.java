package serbench;

/**
 * What an adapter is: a class that knows one library and no workload. docs/add-a-jvm-codec.md tells how to write one.
 *
 * <p>Where the library works on objects of its own, the adapter also is what it needs of {@link Builds}, {@link Extracts},
 * {@link Traverses} and {@link Walks}; a library with an unchecked mode is {@link DecodesFast}. The harness offers the
 * operations that follow from it.
 *
 * <p>The adapter's own fields are what a program would keep between messages (buffers, readers, writers); under the memory
 * policy {@code fresh} the harness makes a new adapter for each message. What a program has once (derived codecs, schemas,
 * configured mappers) is an argument of the adapter's constructor.
 *
 * @param <N> what encode takes: the domain object, or the library's own
 * @param <V> what decode gives: the domain object, or the library's own
 */
public interface Adapter<N, V> {
  /**
   * Serializes an object. The bytes may be the adapter's and are valid until its next call, so no library pays for a copy
   * that its users would not make.
   */
  Bytes encode(N object) throws Exception;

  /**
   * Deserializes a message in the library's default, safe mode; throws where the bytes are wrong.
   *
   * @param used what this adapter decoded before, which may be overwritten whole and returned; null where there is none
   */
  V decode(Bytes bytes, V used) throws Exception;

  /** An adapter whose native object is not the domain object. */
  interface Builds<R, N> {
    /** The native object of a domain object; {@code used} as for {@link Adapter#decode}. */
    N build(R root, N used) throws Exception;
  }

  /** An adapter whose decoded object is not the domain object. */
  interface Extracts<R, V> {
    /** The domain object of a decoded one. */
    R extract(V view) throws Exception;
  }

  /** An adapter that reads its library's own object field by field. */
  interface Traverses<V> {
    /** Every field into a sum, as {@link Checksum} tells. */
    long traverse(V view) throws Exception;
  }

  /** An adapter that walks a graph through its library's own accessors. */
  interface Walks<V> {
    /** Reachability from node 0, as {@link DepthFirst} tells. */
    long walk(V view) throws Exception;
  }

  /** An adapter of a library that has an unchecked mode. */
  interface DecodesFast<V> {
    /** As {@link Adapter#decode}, but nothing is checked. */
    V decodeFast(Bytes bytes, V used) throws Exception;
  }

  /**
   * No codec but a bound: its native object is the canonical bytes, and its serialize and deserialize leave out build and
   * extract.
   */
  interface Floor {}
}
