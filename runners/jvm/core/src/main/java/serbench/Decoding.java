package serbench;

/**
 * Decodes one message after another as the memory policy says: with the decoder and into the view of the
 * message before, or with new ones. Where the domain object is the view, {@code extract} hands it through.
 *
 * @param <R> the workload's root type
 * @param <V> what the decoder gives
 */
@SuppressWarnings("unchecked") // only the cell's adapter knows the class V
final class Decoding<R, V> {
  private final Adapter<?, V> adapter;
  private final Domain<R> domain;
  private final boolean fresh;
  private Decoder<V> decoder;
  private V used;
  // Further abilities of the decoder; all decoders of an adapter are of one class.
  private final boolean extracts;
  private final boolean traverses;
  private final boolean walks;
  private final boolean decodesFast;

  Decoding(Cell<R> cell, Memory memory) {
    adapter = (Adapter<?, V>) cell.adapter();
    domain = cell.domain();
    fresh = memory == Memory.FRESH;
    decoder = adapter.decoder();
    extracts = decoder instanceof Decoder.Extracts<?, ?>;
    traverses = decoder instanceof Decoder.Traverses<?>;
    walks = decoder instanceof Decoder.Walks<?>;
    decodesFast = decoder instanceof Decoder.DecodesFast<?>;
  }

  /** Whether what is decoded is not the domain object. */
  boolean extracts() {
    return extracts;
  }

  boolean traversesItself() {
    return traverses;
  }

  boolean walksItself() {
    return walks;
  }

  boolean decodesFast() {
    return decodesFast;
  }

  /** The object that the next message is decoded into; null if it is new, or the library's own. */
  Timed.Destination destination() {
    return fresh || extracts ? null : root -> used = (V) root;
  }

  /** Decodes, without checks if {@code fast}; the view is kept for the next message. */
  V decode(Bytes bytes, boolean fast) throws Exception {
    take();
    used = fast ? ((Decoder.DecodesFast<V>) decoder).decodeFast(bytes, used) : decoder.decode(bytes, used);
    return used;
  }

  R deserialize(Bytes bytes, boolean fast) throws Exception {
    V view = decode(bytes, fast);
    return extract(decoder, view);
  }

  long decodeTraverse(Bytes bytes, boolean fast) throws Exception {
    V view = decode(bytes, fast);
    return traverse(decoder, view);
  }

  long decodeWalk(Bytes bytes, boolean fast) throws Exception {
    V view = decode(bytes, fast);
    return walk(decoder, view);
  }

  R extract(V view) throws Exception {
    take();
    return extract(decoder, view);
  }

  long traverse(V view) throws Exception {
    take();
    return traverse(decoder, view);
  }

  long walk(V view) throws Exception {
    take();
    return walk(decoder, view);
  }

  /** The walk over the domain object of a workload that is a graph. */
  long walkDomain(R root) {
    return ((Domain.Graph<R>) domain).walk(root);
  }

  private void take() {
    if (!fresh) return;
    decoder = adapter.decoder();
    used = null;
  }

  private R extract(Decoder<V> taken, V view) throws Exception {
    return extracts ? ((Decoder.Extracts<R, V>) taken).extract(view) : (R) view;
  }

  private long traverse(Decoder<V> taken, V view) throws Exception {
    return traverses ? ((Decoder.Traverses<V>) taken).traverse(view) : domain.traverse((R) view);
  }

  private long walk(Decoder<V> taken, V view) throws Exception {
    return walks ? ((Decoder.Walks<V>) taken).walk(view) : walkDomain((R) view);
  }
}
