package serbench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
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
  private int first = 0; // the message that passes begin with, as these lists do
  // The inputs of operations, besides domain objects. Each is filled when it is first needed, since all of
  // them together may be big; bytes that another program has encoded are there from the beginning.
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
      names.addAll(List.of("traverse", "cycle", "decode_traverse", "read"));
      if (fast) names.add("decode_fast_traverse");
    }
    if (cell.domain() instanceof Domain.Graph && (decoding.walksItself() || decodesRoot)) {
      names.addAll(List.of("walk", "decode_walk"));
      if (fast) names.add("decode_fast_walk");
    }
    return names;
  }

  void load(List<Message> messages) {
    for (Message each : messages) {
      roots.add(decoded(each));
      if (each.body() == null) continue;
      if (encoded == null) encoded = new ArrayList<>(messages.size());
      encoded.add(each.body().copy());
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
      case "decode_traverse", "read" -> decodeTraverse(memory, false);
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
    return Timed.encoding(pass, last::bytes);
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
    return Timed.encoding(
        pass, () -> new Encoding<R, N>(cell, Memory.FRESH).encode(Operations.<N>cast(last.value())));
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
    return Timed.encoding(pass, last::bytes);
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
    return Timed.decoding(pass, () -> written(Operations.<R>cast(last.value())), decoding.destination());
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
    return Timed.decoding(pass, () -> extracted(last.value()), decoding.destination());
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
    return Timed.decoding(pass, () -> written(Operations.<R>cast(last.value())), decoding.destination());
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
    return Timed.summing(pass, last::sum, false, decoding.destination());
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
    return Timed.summing(pass, last::sum, true, decoding.destination());
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
    return Timed.summing(pass, last::sum, false, decoding.destination());
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
    return Timed.summing(pass, last::sum, true, decoding.destination());
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
    return Timed.decoding(pass, () -> written(Operations.<R>cast(last.value())), decoding.destination());
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
    return Timed.decoding(pass, () -> extracted(last.value()), decoding.destination());
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
    return Timed.summing(pass, last::sum, false, decoding.destination());
  }

  /** The messages in each of the forms that were made. */
  List<List<?>> lists() {
    return Stream.of(roots, natives, encoded, views).<List<?>>filter(each -> each != null).toList();
  }

  /** From now on, passes end with this message. */
  void endWith(int message) {
    int first = (message + 1) % roots.size();
    for (List<?> each : lists()) Collections.rotate(each, this.first - first);
    this.first = first;
  }

  /** Puts another message in the place of one, as a new object, also where something was prepared from it. */
  void replace(int number, Message other) throws Exception {
    int message = Math.floorMod(number - first, roots.size()); // in the order of passes
    R root = decoded(other);
    roots.set(message, root);
    if (natives != null) natives.set(message, new Encoding<R, N>(cell, Memory.FRESH).build(root));
    if (other.body() != null) {
      replaceEncoded(message, other.body());
    } else if (encoded != null) {
      replaceEncoded(message, new Encoding<R, N>(cell, Memory.FRESH).serialize(root));
    }
    if (views != null) {
      views.set(message, new Decoding<R, V>(cell, Memory.FRESH).decode(encoded.get(message), false));
    }
  }

  /** A new object of a message. */
  R decoded(Message message) {
    CanonicalReader reader = new CanonicalReader(message.canonical());
    R root = cell.domain().decode(reader);
    reader.finish();
    return root;
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

  /** The canonical bytes of what was decoded last. */
  private Bytes extracted(Object view) throws Exception {
    return written(new Decoding<R, V>(cell, Memory.FRESH).extract(Operations.<V>cast(view)));
  }

  private Bytes written(R root) {
    CanonicalWriter out = new CanonicalWriter();
    cell.domain().encode(root, out);
    return out.bytes();
  }

  @SuppressWarnings("unchecked") // the kept value has the type that it was kept for
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
