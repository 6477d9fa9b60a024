package serbench;

/**
 * An adapter of a library that works on messages of its own, which generated glue makes and reads. What is left to the
 * adapter is the library: {@code encode} and {@code decode}.
 *
 * @param <R> the root type
 * @param <N> the messages
 */
public abstract class MessageAdapter<R, N>
    implements Adapter<N, N>, Adapter.Builds<R, N>, Adapter.Extracts<R, N>, Adapter.Traverses<N>, Adapter.Walks<N> {
  private final MessageGlue<R, N> glue;

  protected MessageAdapter(MessageGlue<R, N> glue) {
    this.glue = glue;
  }

  @Override
  public N build(R root, N used) {
    return glue.build(root);
  }

  @Override
  public R extract(N message) {
    return glue.extract(message);
  }

  @Override
  public long traverse(N message) {
    return glue.traverse(message);
  }

  @Override
  public long walk(N message) {
    return glue.walk(message);
  }
}
