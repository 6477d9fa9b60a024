package serbench;

/**
 * Encodes one message after another as the memory policy says: with the encoder and the native object of the
 * message before, or with new ones. Where the domain object is the native one, {@code build} hands it
 * through.
 *
 * @param <R> the workload's root type
 * @param <N> what the encoder takes
 */
@SuppressWarnings("unchecked") // only the cell's adapter knows the class N
final class Encoding<R, N> {
  private final Adapter<N, ?> adapter;
  private final boolean fresh;
  private final boolean builds;
  private Encoder<N> encoder;
  private N used;

  Encoding(Cell<R> cell, Memory memory) {
    adapter = (Adapter<N, ?>) cell.adapter();
    fresh = memory == Memory.FRESH;
    encoder = adapter.encoder();
    builds = encoder instanceof Encoder.Builds<?, ?>;
  }

  /** Whether the native object is not the domain object. */
  boolean builds() {
    return builds;
  }

  Bytes serialize(R root) throws Exception {
    take();
    return encoder.encode(build(encoder, root));
  }

  N build(R root) throws Exception {
    take();
    return build(encoder, root);
  }

  Bytes encode(N object) throws Exception {
    take();
    return encoder.encode(object);
  }

  private void take() {
    if (!fresh) return;
    encoder = adapter.encoder();
    used = null;
  }

  private N build(Encoder<N> taken, R root) throws Exception {
    if (!builds) return (N) root;
    used = ((Encoder.Builds<R, N>) taken).build(root, used);
    return used;
  }
}
