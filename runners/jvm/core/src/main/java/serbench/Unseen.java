package serbench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Whether an operation takes as long for messages that it has not seen before as for those that it has.
 *
 * <p>Domain objects of the JVM do not change, so between two samples only the few that are replaced can show
 * that a codec remembers results. Here all messages are new objects with other values, and the first pass
 * over them is compared with later ones over the same objects. Bytes that another program has encoded are new
 * only once, so each of those that are spared for this is taken for one trial.
 *
 * <p>Times of a process are no proof: serbench accuses nobody before several processes suspect the same cell
 * (src/serbench/measure/agreement.py).
 */
final class Unseen<R, N, V> {
  /**
   * How long a pass lasts, where there are messages enough, and the most canonical bytes of these: of so few,
   * caches hold them in the first pass as later. But HotSpot may give up what it compiled when it meets a
   * value that it has not met, and interpret a short pass as a whole. So who seems slow is timed over more
   * and more messages.
   */
  private record Attempt(long passNs, long mostBytes) {}

  private static final List<Attempt> ATTEMPTS =
      List.of(
          new Attempt(100_000, 1 << 17), new Attempt(1_000_000, 1 << 19), new Attempt(10_000_000, 1 << 21));

  /** The most messages that are drawn: of more, few differ from all others where a message has few values. */
  private static final long MOST_MESSAGES = 5000;

  /** The first pass must also take so much longer, more than compiling a method anew takes. */
  private static final long EXCESS_NS = 500_000;

  /** Longer messages are not tried, since the heap would have to hold them twice. */
  private static final int LARGEST = 16 << 20;

  /** The most trials, of which the shortest passes count; they end when one is clear, or time is up. */
  private static final int TRIALS = 5;

  private static final long TRIALS_NS = 100_000_000;

  /** The most later passes over the same messages; they end when time is up. */
  private static final int LATER_PASSES = 20;

  private static final long LATER_NS = 20_000_000;

  /**
   * How many times as long the first pass may take. Up to 3.2 times were seen: on a busy machine, and where
   * strings keep their hash, for which libraries ask long keys of maps.
   */
  private static final double MOST = 6;

  /**
   * If it takes no more than so many times as long, further trials are not needed: with a codec that
   * remembers, it takes 35 times as long or more.
   */
  private static final double CLEAR = MOST / 2;

  /**
   * Operations that are not tried. Those that start from objects or views of the library's own are not, since
   * these may keep what was computed of them. Nor is build by itself, which takes so little time that nearly
   * all of it may go into such hashes.
   */
  private static final Set<String> NOT_ASKED = Set.of("build", "extract", "traverse", "walk");

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Cell<R> cell;
  private final List<Message> messages;
  private final Watching<R, N, V> watching;

  Unseen(Cell<R> cell, List<Message> messages, Watching<R, N, V> watching) {
    this.cell = cell;
    this.messages = beginning(messages);
    this.watching = watching;
  }

  /**
   * Compares passes of an operation.
   *
   * @throws Suspicion the first pass over new messages takes longer by far
   */
  void check(String operation, Memory memory, Blackhole blackhole) throws Exception {
    Operations<R, N, V> operations = new Operations<>(cell);
    boolean fromNatives = operation.equals("encode") || operation.equals("native_roundtrip");
    boolean asks =
        fromNatives ? !new Encoding<R, N>(cell, Memory.FRESH).builds() : !NOT_ASKED.contains(operation);
    if (!asks || operations.isFloor() || messages.get(0).canonical().length() > LARGEST) return;
    operations.load(messages);
    boolean isGiven = messages.get(0).body() != null;
    Pass known = operations.prepare(operation, memory).pass();
    Took took = new Took(0, 0);
    for (Attempt attempt : ATTEMPTS) {
      List<Message> copies = copies(enough(timed(known, blackhole), attempt));
      if (isGiven) copies = copies.subList(0, Math.min(copies.size(), watching.spared() / TRIALS));
      if (copies.isEmpty()) break; // all were met
      operations = new Operations<>(cell);
      operations.load(copies);
      Pass pass = operations.prepare(operation, memory).pass();
      pass.run(blackhole); // buffers grow
      took = compared(operations, pass, isGiven, blackhole);
      if (took.times() <= MOST) return;
    }
    if (took.excessNs() < EXCESS_NS) return;
    throw new Suspicion(
        operation + ":" + memory.name().toLowerCase(Locale.ROOT),
        String.format(
            "%s takes %.1f times as long for new messages as for known ones: "
                + "the timed code returns remembered results",
            operation, took.times()));
  }

  /** How many times as long the first pass over new messages takes as later ones, and how much longer. */
  private record Took(double times, long excessNs) {}

  private Took compared(Operations<R, N, V> operations, Pass pass, boolean isGiven, Blackhole blackhole)
      throws Exception {
    long first = Long.MAX_VALUE;
    long later = Long.MAX_VALUE;
    long end = ownNs() + TRIALS_NS;
    for (int trial = 0; trial == 0 || trial < TRIALS && ownNs() < end; ++trial) {
      for (int n = 0; n < operations.roots().size(); ++n) {
        operations.replace(n, isGiven ? watching.unseen() : watching.drawn(n % messages.size()));
      }
      first = Math.min(first, timed(pass, blackhole));
      long begin = ownNs();
      for (int n = 0; n < LATER_PASSES && (n < 2 || ownNs() - begin < LATER_NS); ++n) {
        later = Math.min(later, timed(pass, blackhole));
      }
      if (first <= CLEAR * later) break;
    }
    return new Took((double) first / later, first - later);
  }

  /**
   * The time that this thread was on a core: on a busy machine, a pass may lose it for a thousand times as
   * long as it takes.
   */
  private static long ownNs() {
    return THREADS.isCurrentThreadCpuTimeSupported() ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
  }

  private static long timed(Pass pass, Blackhole blackhole) throws Exception {
    long begin = ownNs();
    pass.run(blackhole);
    return Math.max(ownNs() - begin, 1);
  }

  private int enough(long passNs, Attempt attempt) {
    long bytes = messages.stream().mapToLong(each -> each.canonical().length()).sum();
    long most = Math.min(attempt.mostBytes() / Math.max(bytes, 1), MOST_MESSAGES / messages.size());
    return (int) Math.max(1, Math.min(attempt.passNs() / passNs, most));
  }

  private List<Message> copies(int count) {
    List<Message> copies = new ArrayList<>();
    for (int n = 0; n < count; ++n) copies.addAll(messages);
    return copies;
  }

  /** As many of the first messages as the first attempt allows, one at least. */
  private static List<Message> beginning(List<Message> messages) {
    long most = ATTEMPTS.get(0).mostBytes();
    long bytes = 0;
    int count = 0;
    for (Message each : messages) {
      bytes += each.canonical().length();
      if (count > 0 && bytes > most) break;
      ++count;
    }
    return messages.subList(0, count);
  }
}
