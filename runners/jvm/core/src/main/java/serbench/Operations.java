package serbench;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The operations of one cell over one dataset, each as a pass over all its messages.
 *
 * <p>A process measures one pass of one cell, so that the call sites in here see one adapter and stay monomorphic, as in a
 * program that uses one library.
 *
 * @param <R> the workload's root type
 * @param <N> what the adapter encodes
 * @param <V> what it decodes
 */
final class Operations<R, N, V> {
  private final Cell<R> cell;
  private final List<R> roots = new ArrayList<>();
  // What operations start from that are parts; filled when first needed, since big datasets would hold all of them at once.
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
    List<String> names =
        new ArrayList<>(List.of("encode", "decode", "serialize", "deserialize", "roundtrip", "native_roundtrip"));
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
  Pass pass(String operation, Memory memory) throws Exception {
    if (!offered().contains(operation)) throw new IllegalArgumentException("this codec has no operation " + operation);
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
      default -> throw new IllegalArgumentException("found operation '" + operation + "', which is none of serbench's");
    };
  }

  private boolean isFloor() {
    return cell.adapter() instanceof Adapter.Floor;
  }

  private Pass serialize(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    return blackhole -> {
      for (R root : roots) consume(blackhole, encoding.serialize(root));
    };
  }

  private Pass build(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    return blackhole -> {
      for (R root : roots) blackhole.consume(encoding.build(root));
    };
  }

  private Pass encode(Memory memory) throws Exception {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    List<N> inputs = natives();
    return blackhole -> {
      for (N object : inputs) consume(blackhole, encoding.encode(object));
    };
  }

  private Pass deserialize(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) blackhole.consume(decoding.deserialize(bytes, false));
    };
  }

  private Pass decode(Memory memory, boolean fast) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) blackhole.consume(decoding.decode(bytes, fast));
    };
  }

  private Pass extract(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<V> inputs = views();
    return blackhole -> {
      for (V view : inputs) blackhole.consume(decoding.extract(view));
    };
  }

  private Pass traverse(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<V> inputs = views();
    return blackhole -> {
      for (V view : inputs) blackhole.consume(decoding.traverse(view));
    };
  }

  private Pass walk(Memory memory) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<V> inputs = views();
    return blackhole -> {
      for (V view : inputs) blackhole.consume(decoding.walk(view));
    };
  }

  private Pass decodeTraverse(Memory memory, boolean fast) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) blackhole.consume(decoding.decodeTraverse(bytes, fast));
    };
  }

  private Pass decodeWalk(Memory memory, boolean fast) throws Exception {
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) blackhole.consume(decoding.decodeWalk(bytes, fast));
    };
  }

  private Pass roundtrip(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    return blackhole -> {
      for (R root : roots) {
        Bytes bytes = encoding.serialize(root);
        consume(blackhole, bytes);
        blackhole.consume(decoding.deserialize(bytes, false));
      }
    };
  }

  private Pass nativeRoundtrip(Memory memory) throws Exception {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    List<N> inputs = natives();
    return blackhole -> {
      for (N object : inputs) {
        Bytes bytes = encoding.encode(object);
        consume(blackhole, bytes);
        blackhole.consume(decoding.decode(bytes, false));
      }
    };
  }

  private Pass cycle(Memory memory) {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    return blackhole -> {
      for (R root : roots) {
        Bytes bytes = encoding.serialize(root);
        consume(blackhole, bytes);
        blackhole.consume(decoding.decodeTraverse(bytes, false));
      }
    };
  }

  /** Bytes count by what they are made of: the view itself need not exist. */
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
