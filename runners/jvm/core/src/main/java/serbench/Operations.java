package serbench;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The operations of one cell over one dataset, each as a pass over all its messages.
 *
 * <p>A process measures one pass of one cell, so that the call sites in here see one adapter and stay
 * monomorphic, as in a program that uses one library.
 *
 * @param <R> the workload's root type
 * @param <N> what the adapter encodes
 * @param <V> what it decodes
 */
final class Operations<R, N, V> {
  private final Cell<R> cell;
  private final List<R> roots = new ArrayList<>();
  // What operations start from, besides domain objects. Each is filled when it is first needed, since all of
  // them together may be big.
  private List<N> natives;
  private List<Bytes> encoded;
  private List<V> views;

  Operations(Cell<R> cell) {
    this.cell = cell;
  }

  /** The names of {@code ./serbench list operations} that the codec offers for this workload. */
  List<String> offered() {
    Decoding<R, V> decoding = new Decoding<>(cell, Memory.REUSE);
    boolean fast = decoding.decodesFast();
    boolean decodesRoot = !decoding.extracts();
    List<String> names = new ArrayList<>(
        List.of("encode", "decode", "serialize", "deserialize", "roundtrip", "native_roundtrip"));
    if (new Encoding<R, N>(cell, Memory.REUSE).builds() && !isFloor()) names.add("build");
    if (decoding.extracts() && !isFloor()) names.add("extract");
    if (fast) names.add("decode_fast");
    if (decoding.traversesItself() || decodesRoot) {
      names.addAll(List.of("traverse", "cycle", "decode_traverse"));
      if (fast) names.add("decode_fast_traverse");
    }
    if (cell.domain() instanceof Domain.Graph && (decoding.walksItself() || decodesRoot)) {
      names.addAll(List.of("walk", "decode_walk"));
      if (fast) names.add("decode_fast_walk");
    }
    return names;
  }

  void load(List<Bytes> canonical) {
    for (Bytes bytes : canonical) {
      CanonicalReader reader = new CanonicalReader(bytes);
      roots.add(cell.domain().decode(reader));
      reader.finish();
    }
  }

  List<R> roots() {
    return roots;
  }

  /**
   * Prepares an operation.
   *
   * @throws IllegalArgumentException the codec does not offer it
   */
  Timed prepare(String operation, Memory memory) throws Exception {
    if (!offered().contains(operation)) {
      throw new IllegalArgumentException("this codec has no operation " + operation);
    }
    boolean whole = !isFloor(); // with build and extract
    return switch (operation) {
      case "serialize" -> whole ? serialize(memory) : encode(memory);
      case "deserialize" -> whole ? deserialize(memory) : decode(memory, false);
      case "roundtrip" -> whole ? roundtrip(memory) : nativeRoundtrip(memory);
      case "native_roundtrip" -> nativeRoundtrip(memory);
      case "build" -> build(memory);
      case "encode" -> encode(memory);
      case "decode" -> decode(memory, false);
      case "decode_fast" -> decode(memory, true);
      case "extract" -> extract(memory);
      case "traverse" -> traverse(memory);
      case "walk" -> walk(memory);
      case "cycle" -> cycle(memory);
      case "decode_traverse" -> decodeTraverse(memory, false);
      case "decode_fast_traverse" -> decodeTraverse(memory, true);
      case "decode_walk" -> decodeWalk(memory, false);
      case "decode_fast_walk" -> decodeWalk(memory, true);
      default ->
        throw new IllegalArgumentException(
            "found operation '" + operation + "', which is none of serbench's");
    };
  }

  /** Whether it is a floor and no codec. */
  boolean isFloor() {
    return cell.adapter() instanceof Adapter.Floor;
  }

  private Timed serialize(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    Pass pass =
        blackhole -> {
          byte[] array = null;
          int offset = 0;
          int length = 0;
          for (R root : roots) {
            Bytes bytes = encoding.serialize(root);
            consume(blackhole, bytes);
            array = bytes.array();
            offset = bytes.offset();
            length = bytes.length();
          }
          last.set(array, offset, length);
        };
    return new Timed(pass, out -> read(last.bytes(), out));
  }

  private Timed build(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    Pass pass =
        blackhole -> {
          N object = null;
          for (R root : roots) blackhole.consume(object = encoding.build(root));
          last.set(object);
        };
    return new Timed(
        pass,
        out ->
            read(new Encoding<R, N>(cell, Memory.FRESH).encode(Operations.<N>cast(last.value())), out));
  }

  private Timed encode(Memory memory) throws Exception {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<N> inputs = natives();
    Pass pass =
        blackhole -> {
          byte[] array = null;
          int offset = 0;
          int length = 0;
          for (N object : inputs) {
            Bytes bytes = encoding.encode(object);
            consume(blackhole, bytes);
            array = bytes.array();
            offset = bytes.offset();
            length = bytes.length();
          }
          last.set(array, offset, length);
        };
    return new Timed(pass, out -> read(last.bytes(), out));
  }

  private Timed deserialize(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<Bytes> inputs = encoded();
    Pass pass =
        blackhole -> {
          R root = null;
          for (Bytes bytes : inputs) blackhole.consume(root = decoding.deserialize(bytes, false));
          last.set(root);
        };
    return new Timed(pass, out -> cell.domain().encode(Operations.<R>cast(last.value()), out));
  }

  private Timed decode(Memory memory, boolean fast) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<Bytes> inputs = encoded();
    Pass pass =
        blackhole -> {
          V view = null;
          for (Bytes bytes : inputs) blackhole.consume(view = decoding.decode(bytes, fast));
          last.set(view);
        };
    return new Timed(pass, out -> readView(last.value(), out));
  }

  private Timed extract(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<V> inputs = views();
    Pass pass =
        blackhole -> {
          R root = null;
          for (V view : inputs) blackhole.consume(root = decoding.extract(view));
          last.set(root);
        };
    return new Timed(pass, out -> cell.domain().encode(Operations.<R>cast(last.value()), out));
  }

  private Timed traverse(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<V> inputs = views();
    Pass pass =
        blackhole -> {
          long sum = 0;
          for (V view : inputs) blackhole.consume(sum = decoding.traverse(view));
          last.set(sum);
        };
    return new Timed(pass, null, last::sum, false);
  }

  private Timed walk(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<V> inputs = views();
    Pass pass =
        blackhole -> {
          long sum = 0;
          for (V view : inputs) blackhole.consume(sum = decoding.walk(view));
          last.set(sum);
        };
    return new Timed(pass, null, last::sum, true);
  }

  private Timed decodeTraverse(Memory memory, boolean fast) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<Bytes> inputs = encoded();
    Pass pass =
        blackhole -> {
          long sum = 0;
          for (Bytes bytes : inputs) blackhole.consume(sum = decoding.decodeTraverse(bytes, fast));
          last.set(sum);
        };
    return new Timed(pass, null, last::sum, false);
  }

  private Timed decodeWalk(Memory memory, boolean fast) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<Bytes> inputs = encoded();
    Pass pass =
        blackhole -> {
          long sum = 0;
          for (Bytes bytes : inputs) blackhole.consume(sum = decoding.decodeWalk(bytes, fast));
          last.set(sum);
        };
    return new Timed(pass, null, last::sum, true);
  }

  private Timed roundtrip(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    Pass pass =
        blackhole -> {
          R after = null;
          for (R root : roots) {
            Bytes bytes = encoding.serialize(root);
            consume(blackhole, bytes);
            blackhole.consume(after = decoding.deserialize(bytes, false));
          }
          last.set(after);
        };
    return new Timed(pass, out -> cell.domain().encode(Operations.<R>cast(last.value()), out));
  }

  private Timed nativeRoundtrip(Memory memory) throws Exception {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    List<N> inputs = natives();
    Pass pass =
        blackhole -> {
          V view = null;
          for (N object : inputs) {
            Bytes bytes = encoding.encode(object);
            consume(blackhole, bytes);
            blackhole.consume(view = decoding.decode(bytes, false));
          }
          last.set(view);
        };
    return new Timed(pass, out -> readView(last.value(), out));
  }

  private Timed cycle(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Timed.Last last = new Timed.Last();
    Pass pass =
        blackhole -> {
          long sum = 0;
          for (R root : roots) {
            Bytes bytes = encoding.serialize(root);
            consume(blackhole, bytes);
            blackhole.consume(sum = decoding.decodeTraverse(bytes, false));
          }
          last.set(sum);
        };
    return new Timed(pass, null, last::sum, false);
  }

  /** Puts another message in the place of one, also where something was prepared from it. */
  void replace(int message, R root) throws Exception {
    roots.set(message, root);
    if (natives != null) natives.set(message, new Encoding<R, N>(cell, Memory.FRESH).build(root));
    if (encoded != null) replaceEncoded(message, new Encoding<R, N>(cell, Memory.FRESH).serialize(root));
    if (views != null) {
      views.set(message, new Decoding<R, V>(cell, Memory.FRESH).decode(encoded.get(message), false));
    }
  }

  /** Replaces encoded bytes, in the same array where they are as many. */
  private void replaceEncoded(int message, Bytes bytes) {
    Bytes before = encoded.get(message);
    if (bytes.length() == before.length()) {
      System.arraycopy(bytes.array(), bytes.offset(), before.array(), before.offset(), bytes.length());
    } else {
      encoded.set(message, bytes.copy());
    }
  }

  /** Appends the canonical bytes of what encoded bytes hold. */
  private void read(Bytes bytes, CanonicalWriter out) throws Exception {
    cell.domain().encode(new Decoding<R, V>(cell, Memory.FRESH).deserialize(bytes.copy(), false), out);
  }

  private void readView(Object view, CanonicalWriter out) throws Exception {
    cell.domain().encode(new Decoding<R, V>(cell, Memory.FRESH).extract(Operations.<V>cast(view)), out);
  }

  @SuppressWarnings("unchecked") // what was kept has the type that it was kept for
  private static <T> T cast(Object value) {
    return (T) value;
  }

  /** Consumes the parts of which a view of bytes is made, so that the view itself need not exist. */
  private static void consume(Blackhole blackhole, Bytes bytes) {
    blackhole.consume(bytes.array());
    blackhole.consume(bytes.offset());
    blackhole.consume(bytes.length());
  }

  private List<N> natives() throws Exception {
    if (natives == null) {
      Encoding<R, N> encoding = new Encoding<>(cell, Memory.FRESH); // each is an object of its own
      natives = new ArrayList<>(roots.size());
      for (R root : roots) natives.add(encoding.build(root));
    }
    return natives;
  }

  /** Each message in an array of its own. */
  private List<Bytes> encoded() throws Exception {
    if (encoded == null) {
      Encoding<R, N> encoding = new Encoding<>(cell, Memory.REUSE);
      encoded = new ArrayList<>(roots.size());
      for (R root : roots) encoded.add(encoding.serialize(root).copy());
    }
    return encoded;
  }

  List<V> views() throws Exception {
    if (views == null) {
      Decoding<R, V> decoding = new Decoding<>(cell, Memory.FRESH); // each is an object of its own
      List<Bytes> inputs = encoded();
      views = new ArrayList<>(inputs.size());
      for (Bytes bytes : inputs) views.add(decoding.decode(bytes, false));
    }
    return views;
  }
}
