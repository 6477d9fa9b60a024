package serbench;

/**
 * An encoder of a library that works on messages of its own, which generated glue makes. What is left to it
 * is the call of the library, {@code encode}.
 *
 * @param <R> the root type
 * @param <N> the messages
 */
public abstract class MessageEncoder<R, N> implements Encoder<N>, Encoder.Builds<R, N> {
  private final MessageGlue<R, N> glue;

  protected MessageEncoder(MessageGlue<R, N> glue) {
    this.glue = glue;
  }

  @Override
  public N build(R root, N used) {
    return glue.build(root);
  }
}
