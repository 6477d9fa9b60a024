package serbench;

/**
 * A program's means to decode messages. Its fields are what is kept between messages: readers, parsers,
 * pools. Where the library gives objects of its own, the decoder also has what is needed of the interfaces
 * {@link Extracts}, {@link Traverses} and {@link Walks}; where the library has an unchecked mode, also {@link
 * DecodesFast}.
 *
 * @param <V> the view, which decode gives: the domain object, or the library's own. It may need the bytes,
 *     but not the decoder, which may be gone or have decoded another message
 */
public interface Decoder<V> {
  /**
   * Deserializes a message in the library's default, safe mode; throws where the bytes are wrong.
   *
   * @param used what was decoded before, which may be overwritten whole and returned; null where there is
   *     none
   */
  V decode(Bytes bytes, V used) throws Exception;

  /** A decoder of a library that has an unchecked mode. */
  interface DecodesFast<V> {
    /** As {@link Decoder#decode}, but nothing is checked. */
    V decodeFast(Bytes bytes, V used) throws Exception;
  }

  /** A decoder whose view is not the domain object. */
  interface Extracts<R, V> {
    /** The domain object of a view. */
    R extract(V view) throws Exception;
  }

  /** A decoder that reads its library's own object field by field. */
  interface Traverses<V> {
    /** The sum of every field, as {@link Checksum} tells. */
    long traverse(V view) throws Exception;
  }

  /** A decoder that walks a graph through its library's own accessors. */
  interface Walks<V> {
    /** Reachability from node 0, as {@link DepthFirst} tells. */
    long walk(V view) throws Exception;
  }
}
