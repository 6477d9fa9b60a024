package serbench;

/**
 * Conversions between a workload's domain objects and a library's own messages; generated for each workload.
 *
 * @param <R> the root type
 * @param <N> what all messages of the library are, such as its base class
 */
public interface MessageGlue<R, N> {
  /** The message of a domain object. */
  N build(R root);

  /**
   * The domain object of a message.
   *
   * @throws DecodeException it holds a value that the domain's types cannot hold
   */
  R extract(N message);

  /** The sum of every field, as {@link Checksum} tells. */
  long traverse(N message);

  /** Reachability from node 0, as {@link DepthFirst} tells; only of a workload that is a graph. */
  default long walk(N message) {
    throw new UnsupportedOperationException("this workload is no graph");
  }
}
