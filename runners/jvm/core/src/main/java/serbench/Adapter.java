package serbench;

/**
 * An adapter knows one library and no workload: it makes encoders and decoders. docs/add-a-jvm-codec.md tells
 * how to write one.
 *
 * <p>There is one adapter for a cell. What a program has once (derived codecs, schemas, configured mappers)
 * is an argument of its constructor; what it would keep between messages belongs to the {@link Encoder} and
 * the {@link Decoder}. Under the memory policy {@code fresh} the harness asks for a new one for each message:
 * for an encoder where it encodes, for a decoder where it decodes, so that neither pays for what only the
 * other needs. Which operations the harness offers follows from the interfaces that these have.
 *
 * @param <N> what is encoded: the domain object, or the library's own
 * @param <V> what decoding gives: the domain object, or the library's own
 */
public interface Adapter<N, V> {
  Encoder<N> encoder();

  Decoder<V> decoder();

  /**
   * No codec but a lower bound: its native object is the canonical bytes, and its serialize, deserialize and
   * roundtrip leave out build and extract.
   */
  interface Floor {}
}
