package serbench;

import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.openjdk.jmh.infra.Blackhole;

/** The commands by which serbench verifies a cell; what one encodes, another process decodes. */
final class Verification<R, N, V> {
  private static final long WATCHED_NS = 20_000_000; // for each operation
  private static final int PASSES = 10; // between two changes

  /** Operations that start from objects, and so not from bytes that another program has encoded. */
  private static final Set<String> FROM_OBJECTS =
      Set.of("encode", "serialize", "build", "roundtrip", "native_roundtrip", "cycle");

  private final Cell<R> cell;
  private Operations<R, N, V> operations;
  private List<String> loaded;
  private Inputs inputs;

  Verification(Cell<R> cell) {
    this.cell = cell;
  }

  /** Loads the files of these options for the commands that follow; the same ones are not read again. */
  Inputs load(String dataset, String edits, String encoded, long place) throws IOException {
    List<String> files = List.of(dataset, edits, encoded);
    if (!files.equals(loaded)) {
      inputs = Inputs.open(cell.schema(), dataset, edits, encoded, place);
      operations = new Operations<>(cell);
      operations.load(inputs.messages());
      loaded = files;
    }
    return inputs;
  }

  /** Serializes every message into {@code out}; returns the bytes of all. */
  long encode(Memory memory, Path out) throws Exception {
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    long bytes = 0;
    try (MessageWriter writer = new MessageWriter(out)) {
      for (R root : operations.roots()) {
        Bytes encoded = encoding.serialize(root);
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
      throw new IllegalArgumentException(
          "found operation '" + operation + "', expected decode or decode_fast");
    }
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    CanonicalWriter canonical = new CanonicalWriter();
    try (MessageWriter writer = new MessageWriter(out)) {
      for (Bytes message : encoded.messages()) {
        R root = decoding.deserialize(message.copy(), fast);
        canonical.clear();
        cell.domain().encode(root, canonical);
        writer.write(canonical.bytes());
      }
    }
  }

  /**
   * Decodes every message of {@code encoded} and encodes the library's own object into {@code out}; returns
   * the bytes of all.
   */
  @SuppressWarnings("unchecked") // where an adapter relays, both are of one type
  long relay(MessageFile encoded, Memory memory, Path out) throws Exception {
    if (!relays()) throw new IllegalStateException("its view cannot be encoded again");
    Decoding<R, V> decoding = new Decoding<>(cell, memory);
    Encoding<R, N> encoding = new Encoding<>(cell, memory);
    long bytes = 0;
    try (MessageWriter writer = new MessageWriter(out)) {
      for (Bytes message : encoded.messages()) {
        Bytes again = encoding.encode((N) decoding.decode(message.copy(), false));
        bytes += again.length();
        writer.write(again);
      }
    }
    return bytes;
  }

  /** Whether what is decoded can be encoded: the adapter names one type for both. */
  boolean relays() {
    for (Class<?> at = cell.adapter().getClass(); at != null; at = at.getSuperclass()) {
      for (Type each : at.getGenericInterfaces()) {
        if (each instanceof ParameterizedType type && type.getRawType() == Adapter.class) {
          return type.getActualTypeArguments()[0].equals(type.getActualTypeArguments()[1]);
        }
      }
    }
    return false;
  }

  /**
   * The answer to a message: {@code harm} is null if it is accepted, or refused by an exception as programs
   * expect one; {@code by} says whose code threw.
   */
  record Probed(boolean accepted, String harm, String reason, String by) {
    static Probed refused(String harm, Throwable error) {
      return new Probed(false, harm, error.toString(), Origin.of(error));
    }
  }

  /**
   * Decodes a message; an error that is no exception passes every {@code catch (Exception)} of the program
   * that decodes.
   */
  Probed probe(Bytes message) {
    try {
      R root = new Decoding<R, V>(cell, Memory.FRESH).deserialize(message.copy(), false);
      cell.domain().encode(root, new CanonicalWriter()); // some fields are looked at only here
      return new Probed(true, null, "", "");
    } catch (Exception error) {
      return Probed.refused(null, error);
    } catch (OutOfMemoryError error) {
      return Probed.refused("memory", error);
    } catch (Error error) {
      return Probed.refused("crash", error);
    }
  }

  /**
   * Checks the things that only one process can see: outputs are not cached, unless they are another
   * program's, and traverse and walk read the message.
   */
  void check() throws Exception {
    List<Message> messages = inputs.messages();
    Encoding<R, N> encoding = new Encoding<>(cell, Memory.REUSE);
    for (int n = 1; n < messages.size() && !inputs.isEncoded(); ++n) {
      boolean differ = !messages.get(n - 1).canonical().sameAs(messages.get(n).canonical());
      if (differ) checkNotCached(encoding, n - 1, n);
    }
    Decoding<R, V> decoding = new Decoding<>(cell, Memory.REUSE);
    if (decoding.traversesItself()) checkReading(decoding);
  }

  /**
   * Does each operation for a moment, under each policy, while values change, by the same code that is timed
   * in rounds; only those that start from bytes where these are another program's.
   */
  void checkWatched(Path left, long place) throws Exception {
    loaded = null; // its values are others from here on
    Blackhole blackhole = new Blackhole(
        "Today's password is swordfish. I understand instantiating Blackholes directly is dangerous.");
    Watching<R, N, V> watching = new Watching<>(cell, operations, inputs, left, place);
    Unseen<R, N, V> unseen = new Unseen<>(cell, inputs.messages(), watching);
    for (String operation : operations.offered()) {
      if (inputs.isEncoded() && FROM_OBJECTS.contains(operation)) continue;
      for (Memory memory : Memory.values()) {
        Timed timed = operations.prepare(operation, memory);
        long end = System.nanoTime() + WATCHED_NS;
        int rounds = 0;
        do {
          watching.renew();
          timed.pass().run(blackhole);
          watching.spoil(timed);
          for (int n = 1; n < PASSES; ++n) timed.pass().run(blackhole);
          // More seldom as they go on: there may be thousands.
          if (Integer.bitCount(++rounds) == 1) watching.writeDown(operation, memory, timed);
        } while (System.nanoTime() < end);
        if (Integer.bitCount(rounds) > 1) watching.writeDown(operation, memory, timed);
        // Each given body is new only once, so the new ones are kept for `read`.
        if (!inputs.isEncoded() || operation.equals("read")) unseen.check(operation, memory, blackhole);
      }
    }
    Idle.check();
  }

  private void checkNotCached(Encoding<R, N> encoding, int first, int second) throws Exception {
    List<R> roots = operations.roots();
    Bytes before = encoding.serialize(roots.get(first)).copy();
    Bytes after = encoding.serialize(roots.get(second)).copy();
    Bytes again = encoding.serialize(roots.get(first));
    if (before.sameAs(after)) {
      throw new IllegalStateException(
          "messages " + first + " and " + second + " differ, but were encoded to the same bytes");
    }
    if (again.length() != before.length()) {
      throw new IllegalStateException(
          "message " + first + " was encoded to " + before.length() + " bytes and then to " + again.length());
    }
  }

  private void checkReading(Decoding<R, V> decoding) throws Exception {
    List<V> views = operations.views();
    for (int n = 0; n < views.size(); ++n) {
      V each = views.get(n);
      R root = decoding.extract(each); // not the root before: a lossy codec may have rounded it
      requireEqual("traverse", n, decoding.traverse(each), cell.domain().traverse(root));
      boolean walks = decoding.walksItself() && cell.domain() instanceof Domain.Graph;
      if (walks) requireEqual("walk", n, decoding.walk(each), decoding.walkDomain(root));
    }
  }

  private static void requireEqual(String operation, int message, long found, long expected) {
    if (found == expected) return;
    throw new IllegalStateException(
        operation + " of message " + message + " gives " + Long.toUnsignedString(found) + ", expected "
            + Long.toUnsignedString(expected) + ": it does not read what the message holds");
  }
}
