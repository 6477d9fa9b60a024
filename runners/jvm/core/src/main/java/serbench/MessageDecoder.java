package serbench;

/**
 * A decoder of a library that works on messages of its own, which generated glue reads. What is left to it is
 * the call of the library, {@code decode}.
 *
 * @param <R> the root type
 * @param <N> the messages
 */
public abstract class MessageDecoder<R, N>
    implements Decoder<N>, Decoder.Extracts<R, N>, Decoder.Traverses<N>, Decoder.Walks<N> {
  private final MessageGlue<R, N> glue;

  protected MessageDecoder(MessageGlue<R, N> glue) {
    this.glue = glue;
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
