package serbench;

/**
 * The functions over a workload's domain types that the harness needs; generated beside the types.
 *
 * @param <R> the root type
 */
public interface Domain<R> {
  /** Appends the canonical bytes of a value (docs/canonical-encoding.md). */
  void encode(R value, CanonicalWriter out);

  /**
   * Reads one value.
   *
   * @throws DecodeException the bytes are not canonical
   */
  R decode(CanonicalReader in);

  /** The sum of every field, as {@link Checksum} tells. */
  long traverse(R value);

  /** A workload that is a graph. */
  interface Graph<R> {
    /** Reachability from node 0, as {@link DepthFirst} tells. */
    long walk(R value);
  }
}
