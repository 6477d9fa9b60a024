package serbench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks the very passes that are timed: between samples, outside the clock, values of the messages change,
 * and the outcome of the timed passes is written down for serbench, which knows what it must be
 * (docs/protocol.md, "What passes leave").
 *
 * <p>Domain objects are immutable here: a changed message is another object. Encoded bytes change in their
 * array.
 */
final class Watching<R, N, V> {
  private static final int OTHERS = 4; // messages that change besides the last

  /** Messages with edits that have at most so many bytes together are quick to make anew and to compare. */
  private static final int QUICK_BYTES = 1 << 20;

  /** One of so many samples is watched if messages have more bytes. */
  private static final int ONE_OF = 12;

  /** Sums are alike but for multiples of it: floats count by their bits, and to some formats -0.0 is 0.0. */
  private static final long ALIKE = 1L << 31;

  private final Cell<R> cell;
  private final Operations<R, N, V> operations;
  private final List<Message> messages;
  private final Edits edits;
  private final LeftFile left;
  private final Random draws;
  private final List<Message> spared; // what another program has encoded, and no pass has met
  private int last; // the message that passes end with
  private Map<Integer, List<Integer>> forced = new TreeMap<>(); // edits by message

  /** The options {@code left} and {@code place} are as the protocol tells. */
  Watching(Cell<R> cell, Operations<R, N, V> operations, Inputs inputs, Path left, long place)
      throws IOException {
    this.cell = cell;
    this.operations = operations;
    messages = inputs.messages();
    edits = inputs.edits();
    this.left = new LeftFile(left);
    draws = new Random(place);
    spared = edits.spared(messages);
    Collections.shuffle(spared, draws);
    last = messages.size() - 1;
  }

  /** Whether the next sample is to be watched. */
  boolean drawWatched() {
    long bytes = 0;
    for (int n = 0; n < messages.size(); ++n) bytes += edits.of(n) ? messages.get(n).canonical().length() : 0;
    return bytes <= QUICK_BYTES || draws.nextInt(ONE_OF) == 0;
  }

  /**
   * Changes values of some messages, and what was prepared from them; passes end with one of these. What is
   * looked at is never what it was the last time.
   */
  void renew() throws Exception {
    last = edits.drawMessage(draws);
    operations.endWith(last);
    Map<Integer, List<Integer>> before = forced;
    forced = new TreeMap<>();
    for (int n = 0; n < OTHERS; ++n) {
      int other = edits.drawMessage(draws);
      forced.put(other, edits.draw(other, draws));
    }
    forced.put(last, edits.draw(last, draws));
    if (forced.get(last).equals(before.get(last))) forced.remove(last);
    TreeSet<Integer> changed = new TreeSet<>(before.keySet());
    changed.addAll(forced.keySet());
    for (int message : changed) operations.replace(message, now(message));
  }

  /** Changes what an operation decodes into and uses again, which has to be written anew. */
  void spoil(Timed timed) {
    if (timed.destination() == null) return;
    List<Integer> others = new ArrayList<>(edits.all(last));
    others.removeAll(forced.getOrDefault(last, List.of()));
    timed.destination().set(operations.decoded(edits.applied(last, messages.get(last), others)));
  }

  /**
   * Appends what an operation left of its last message to the file. Bytes that were encoded are not decoded
   * here, and nothing but sums is compared: an adapter that cheats with both hands would agree with itself.
   *
   * @throws IllegalStateException it is no sum of this message
   */
  void writeDown(String operation, Memory memory, Timed timed) throws Exception {
    Bytes rest = timed.sum() == null ? timed.left().bytes() : littleEndian(timed.sum().get());
    String of = operation + ":" + memory.name().toLowerCase(Locale.ROOT);
    List<Integer> numbers = edits.numbers(last, forced.getOrDefault(last, List.of()));
    left.add(new LeftFile.Entry(of, timed.kind(), timed.walks(), last, numbers, rest));
    if (timed.sum() == null || (timed.sum().get() - sum(now(last), timed.walks())) % ALIKE == 0) return;
    throw new IllegalStateException(
        "the sum of " + operation + " does not match message " + last
            + " after its values changed: the timed code returns remembered results, or skips work");
  }

  /** A message with some of the values that it may have in place of its own. */
  Message drawn(int message) {
    List<Integer> drawn = edits.of(message) ? edits.draw(message, draws) : List.of();
    return edits.applied(message, messages.get(message), drawn);
  }

  /** How many messages are left for {@link #unseen}. */
  int spared() {
    return spared.size();
  }

  /** A message that another program has encoded, and that nobody has met. */
  Message unseen() {
    return spared.remove(spared.size() - 1);
  }

  private static Bytes littleEndian(long number) {
    return Bytes.of(
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array());
  }

  private Message now(int message) {
    return edits.applied(message, messages.get(message), forced.getOrDefault(message, List.of()));
  }

  private long sum(Message message, boolean walks) {
    R root = operations.decoded(message);
    return walks ? ((Domain.Graph<R>) cell.domain()).walk(root) : cell.domain().traverse(root);
  }
}
