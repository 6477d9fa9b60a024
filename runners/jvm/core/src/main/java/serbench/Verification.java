package serbench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The commands by which serbench verifies a cell; what one encodes, another process decodes. */
final class Verification<R, N, V> {
  private final Cell<R> cell;
  private final Operations<R, N, V> operations;

  // What is used again for the next message, or made anew, as the memory policy says.
  private Calls<R, N, V> kept;
  private N native_;
  private V view;

  Verification(Cell<R> cell) {
    this.cell = cell;
    this.operations = new Operations<>(cell);
    this.kept = new Calls<>(cell);
  }

  void load(MessageFile dataset) {
    operations.load(dataset.messages());
  }

  /** Serializes every message into {@code out}; returns the bytes of all. */
  long encode(Memory memory, Path out) throws Exception {
    long bytes = 0;
    try (MessageWriter writer = new MessageWriter(out)) {
      for (R root : operations.roots()) {
        Bytes encoded = encode(root, memory);
        bytes += encoded.length();
        writer.write(encoded);
      }
    }
    return bytes;
  }

  /** Deserializes every message of {@code encoded} and writes its canonical bytes to {@code out}. */
  void decode(MessageFile encoded, String operation, Memory memory, Path out) throws Exception {
    boolean fast = operation.equals("decode_fast");
    if (!fast && !operation.equals("decode")) {
      throw new IllegalArgumentException("found operation '" + operation + "', expected decode or decode_fast");
    }
    CanonicalWriter canonical = new CanonicalWriter();
    try (MessageWriter writer = new MessageWriter(out)) {
      for (Bytes message : encoded.messages()) {
        if (memory == Memory.FRESH) renew();
        Bytes bytes = Bytes.of(message.toArray());
        view = fast ? kept.decodeFast(bytes, view) : kept.decode(bytes, view);
        canonical.clear();
        cell.domain().encode(kept.extract(view), canonical);
        writer.write(canonical.bytes());
      }
    }
  }

  /** What can only be seen inside one process: that outputs are not cached, and that traverse and walk read the message. */
  void check(MessageFile dataset) throws Exception {
    List<Bytes> canonical = dataset.messages();
    for (int n = 1; n < canonical.size(); ++n) {
      if (!canonical.get(n - 1).sameAs(canonical.get(n))) checkNotCached(n - 1, n);
    }
    if (kept.traversesItself()) checkReading();
  }

  private void checkNotCached(int first, int second) throws Exception {
    List<R> roots = operations.roots();
    Bytes before = copyOf(encode(roots.get(first), Memory.REUSE));
    Bytes after = copyOf(encode(roots.get(second), Memory.REUSE));
    Bytes again = encode(roots.get(first), Memory.REUSE);
    if (before.sameAs(after)) {
      throw new IllegalStateException("messages " + first + " and " + second + " differ, but were encoded to the same bytes");
    }
    if (again.length() != before.length()) {
      throw new IllegalStateException(
          "message " + first + " was encoded to " + before.length() + " bytes and then to " + again.length());
    }
  }

  private void checkReading() throws Exception {
    List<V> views = operations.views();
    for (int n = 0; n < views.size(); ++n) {
      V each = views.get(n);
      R root = kept.extract(each); // what the bytes hold, which a lossy codec may have rounded
      requireEqual("traverse", n, kept.traverse(each), cell.domain().traverse(root));
      if (kept.walksItself() && kept.isGraph()) requireEqual("walk", n, kept.walk(each), kept.walkDomain(root));
    }
  }

  private static void requireEqual(String operation, int message, long found, long expected) {
    if (found == expected) return;
    throw new IllegalStateException(
        operation + " of message " + message + " gives " + Long.toUnsignedString(found) + ", expected "
            + Long.toUnsignedString(expected) + ": it does not read what the message holds");
  }

  private Bytes encode(R root, Memory memory) throws Exception {
    if (memory == Memory.FRESH) renew();
    native_ = kept.build(root, native_);
    return kept.encode(native_);
  }

  private void renew() {
    kept = new Calls<>(cell);
    native_ = null;
    view = null;
  }

  private static Bytes copyOf(Bytes bytes) {
    return Bytes.of(bytes.toArray().clone());
  }
}
