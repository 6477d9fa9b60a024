package serbench;

import java.util.ArrayList;
import java.util.List;

/**
 * The operations of one cell over one dataset, each as a pass over all its messages.
 *
 * <p>A process measures one pass of one cell, so that the call sites in here see one adapter and stay monomorphic, as in a
 * program that uses one library.
 */
final class Operations<R, N, V> {
  private final Cell<R> cell;
  private final Calls<R, N, V> preparing;
  private final List<R> roots = new ArrayList<>();
  // What single primitives start from; filled when first needed, since big datasets would hold all of them at once.
  private List<N> natives;
  private List<Bytes> encoded;
  private List<V> views;

  Operations(Cell<R> cell) {
    this.cell = cell;
    this.preparing = new Calls<>(cell);
  }

  /** The names of {@code ./serbench list operations} that the codec offers for this workload. */
  List<String> offered() {
    List<String> names = new ArrayList<>(List.of("encode", "decode", "serialize", "deserialize", "roundtrip"));
    if (preparing.builds() && !preparing.isFloor()) names.add("build");
    if (preparing.decodesFast()) names.add("decode_fast");
    if (preparing.extracts() && !preparing.isFloor()) names.add("extract");
    boolean decodesRoot = !preparing.extracts();
    if (preparing.traversesItself() || decodesRoot) names.addAll(List.of("traverse", "cycle", "decode_traverse"));
    if (preparing.isGraph() && (preparing.walksItself() || decodesRoot)) names.addAll(List.of("walk", "decode_walk"));
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
    boolean whole = !preparing.isFloor(); // with build and extract
    return switch (operation) {
      case "serialize" -> whole && preparing.builds() ? serialize(memory) : encode(memory);
      case "deserialize" -> whole && preparing.extracts() ? deserialize(memory) : decode(memory);
      case "build" -> build(memory);
      case "encode" -> encode(memory);
      case "decode" -> decode(memory);
      case "decode_fast" -> decodeFast(memory);
      case "extract" -> extract(memory);
      case "traverse" -> traverse(memory);
      case "walk" -> walk(memory);
      case "roundtrip" -> roundtrip(memory);
      case "cycle" -> cycle(memory);
      case "decode_traverse" -> decodeTraverse(memory);
      case "decode_walk" -> decodeWalk(memory);
      default -> throw new IllegalArgumentException("found operation '" + operation + "', which is none of serbench's");
    };
  }

  /** What is used again for the next message or made anew for each, as the memory policy says. */
  private final class Slots {
    private final boolean fresh;
    private Calls<R, N, V> calls;
    private N used;
    private V usedView;

    Slots(Memory memory) {
      fresh = memory == Memory.FRESH;
    }

    Calls<R, N, V> take() {
      if (fresh || calls == null) calls = new Calls<>(cell);
      return calls;
    }

    N build(R root) throws Exception {
      N made = calls.build(root, fresh ? null : used);
      used = made;
      return made;
    }

    /** The view is kept for the next message. */
    V decode(Bytes bytes) throws Exception {
      V made = calls.decode(bytes, fresh ? null : usedView);
      usedView = made;
      return made;
    }

    V decodeFast(Bytes bytes) throws Exception {
      V made = calls.decodeFast(bytes, fresh ? null : usedView);
      usedView = made;
      return made;
    }
  }

  private Pass serialize(Memory memory) {
    Slots slots = new Slots(memory);
    return blackhole -> {
      for (R root : roots) {
        Calls<R, N, V> calls = slots.take();
        Calls.consume(blackhole, calls.encode(slots.build(root)));
      }
    };
  }

  private Pass deserialize(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) {
        Calls<R, N, V> calls = slots.take();
        blackhole.consume(calls.extract(slots.decode(bytes)));
      }
    };
  }

  private Pass build(Memory memory) {
    Slots slots = new Slots(memory);
    return blackhole -> {
      for (R root : roots) {
        slots.take();
        blackhole.consume(slots.build(root));
      }
    };
  }

  private Pass encode(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<N> inputs = natives();
    return blackhole -> {
      for (N object : inputs) Calls.consume(blackhole, slots.take().encode(object));
    };
  }

  private Pass decode(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) {
        slots.take();
        blackhole.consume(slots.decode(bytes));
      }
    };
  }

  private Pass decodeFast(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) {
        slots.take();
        blackhole.consume(slots.decodeFast(bytes));
      }
    };
  }

  private Pass extract(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<V> inputs = views();
    return blackhole -> {
      for (V view : inputs) blackhole.consume(slots.take().extract(view));
    };
  }

  private Pass traverse(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<V> inputs = views();
    return blackhole -> {
      for (V view : inputs) blackhole.consume(slots.take().traverse(view));
    };
  }

  private Pass walk(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<V> inputs = views();
    return blackhole -> {
      for (V view : inputs) blackhole.consume(slots.take().walk(view));
    };
  }

  private Pass roundtrip(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<N> inputs = natives();
    return blackhole -> {
      for (N object : inputs) {
        Bytes bytes = slots.take().encode(object);
        Calls.consume(blackhole, bytes);
        blackhole.consume(slots.decode(bytes));
      }
    };
  }

  private Pass cycle(Memory memory) {
    Slots slots = new Slots(memory);
    return blackhole -> {
      for (R root : roots) {
        Calls<R, N, V> calls = slots.take();
        Bytes bytes = calls.encode(slots.build(root));
        Calls.consume(blackhole, bytes);
        blackhole.consume(calls.traverse(slots.decode(bytes)));
      }
    };
  }

  private Pass decodeTraverse(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) {
        Calls<R, N, V> calls = slots.take();
        blackhole.consume(calls.traverse(slots.decodeFast(bytes)));
      }
    };
  }

  private Pass decodeWalk(Memory memory) throws Exception {
    Slots slots = new Slots(memory);
    List<Bytes> inputs = encoded();
    return blackhole -> {
      for (Bytes bytes : inputs) {
        Calls<R, N, V> calls = slots.take();
        blackhole.consume(calls.walk(slots.decodeFast(bytes)));
      }
    };
  }

  private List<N> natives() throws Exception {
    if (natives == null) {
      natives = new ArrayList<>(roots.size());
      for (R root : roots) natives.add(preparing.build(root, null));
    }
    return natives;
  }

  /** Each message in an array of its own. */
  private List<Bytes> encoded() throws Exception {
    if (encoded == null) {
      encoded = new ArrayList<>(roots.size());
      for (R root : roots) {
        Bytes bytes = preparing.encode(preparing.build(root, null));
        encoded.add(Bytes.of(bytes.toArray().clone()));
      }
    }
    return encoded;
  }

  List<V> views() throws Exception {
    if (views == null) {
      List<Bytes> inputs = encoded();
      views = new ArrayList<>(inputs.size());
      for (Bytes bytes : inputs) views.add(preparing.decode(bytes, null));
    }
    return views;
  }
}
