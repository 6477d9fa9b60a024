package serbench;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is timed is what is checked: between samples, outside the clock, values of the messages change, and
 * what the timed passes left is held to what it must be (docs/protocol.md, "Edits").
 *
 * <p>Domain objects are immutable here: a changed message is another object. Encoded bytes change in their
 * array.
 */
final class Watching<R, N, V> {
  private static final int OTHERS = 4; // messages that change besides the last

  /** Messages with edits that have at most so many bytes together are quick to make anew and to compare. */
  private static final int QUICK_BYTES = 1 << 20;

  /** Where they have more bytes, one sample of so many is watched. */
  private static final int ONE_OF = 12;

  private final Cell<R> cell;
  private final Operations<R, N, V> operations;
  private final List<Bytes> canonical;
  private final Edits edits;
  private final Random draws;
  private final int last;
  private Map<Integer, List<Integer>> forced = new TreeMap<>(); // edits by message
  private Bytes givenBack; // of the last message

  Watching(Cell<R> cell, Operations<R, N, V> operations, List<Bytes> canonical, Edits edits, long place) {
    this.cell = cell;
    this.operations = operations;
    this.canonical = canonical;
    this.edits = edits;
    draws = new Random(place);
    last = canonical.size() - 1;
  }

  /** Whether the next sample is to be watched. */
  boolean drawWatched() {
    long bytes = 0;
    for (int n = 0; n < canonical.size(); ++n) bytes += edits.of(n) ? canonical.get(n).length() : 0;
    return bytes <= QUICK_BYTES || draws.nextInt(ONE_OF) == 0;
  }

  /** Changes values of the last message and of others, and what was prepared from them. */
  void renew() throws Exception {
    TreeSet<Integer> changed = new TreeSet<>(forced.keySet());
    forced = new TreeMap<>();
    if (edits.of(last)) forced.put(last, edits.draw(last, draws));
    for (int n = 0; n < OTHERS; ++n) {
      int other = edits.drawMessage(draws);
      if (other != last) forced.put(other, edits.draw(other, draws));
    }
    changed.addAll(forced.keySet());
    for (int message : changed) operations.replace(message, decoded(now(message, canonical.get(message))));
  }

  /**
   * Compares what an operation left with what its last message now is.
   *
   * @throws IllegalStateException it is something else
   */
  void check(String operation, Timed timed) throws Exception {
    if (timed.sum() != null) {
      long found = timed.sum().get();
      if (found == sum(now(last, canonical.get(last)), timed.walks())
          || found == sum(now(last, givenBack()), timed.walks()))
        return;
      throw new IllegalStateException(told("the sum of " + operation + " does not match message " + last));
    }
    CanonicalWriter left = new CanonicalWriter();
    timed.left().write(left);
    if (left.bytes().sameAs(now(last, canonical.get(last))) || left.bytes().sameAs(now(last, givenBack()))) {
      return;
    }
    throw new IllegalStateException(told("the result of " + operation + " does not match message " + last));
  }

  /** A message as a new object, with some of the values that it may have in place of its own. */
  R drawn(int message) {
    List<Integer> drawn = edits.of(message) ? edits.draw(message, draws) : List.of();
    return decoded(edits.applied(message, canonical.get(message), drawn));
  }

  private static String told(String what) {
    return what + " after its values changed: the timed code returns remembered results, or skips work";
  }

  private Bytes now(int message, Bytes bytes) {
    return edits.applied(message, bytes, forced.getOrDefault(message, List.of()));
  }

  private R decoded(Bytes bytes) {
    return cell.domain().decode(new CanonicalReader(bytes));
  }

  private long sum(Bytes bytes, boolean walks) {
    R root = decoded(bytes);
    return walks ? ((Domain.Graph<R>) cell.domain()).walk(root) : cell.domain().traverse(root);
  }

  /**
   * What the codec makes of the last message, as the dataset has it: another message where it is lossy, which
   * verify checks.
   */
  private Bytes givenBack() throws Exception {
    if (givenBack == null) {
      Bytes encoded = new Encoding<R, N>(cell, Memory.FRESH).serialize(decoded(canonical.get(last))).copy();
      CanonicalWriter out = new CanonicalWriter();
      cell.domain().encode(new Decoding<R, V>(cell, Memory.FRESH).deserialize(encoded, false), out);
      givenBack = out.bytes().copy();
    }
    return givenBack;
  }
}
