package serbench;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Times each single call of an operation, where a sample is the time of many passes together
 * (docs/protocol.md, "Single calls"). JMH times whole batches, and so has no part in it but its blackhole.
 */
final class SingleCalls {
  private static final int EMPTY_CALLS = 4001;
  private static final int HEADER_BYTES = 24;
  private static final int VERSION = 1;

  /** A collector of the old generation has more pools than those of the young one: at least one more. */
  private static final int YOUNG_POOLS = 3;

  private static final long MS_NS = 1_000_000;
  private static final long SECOND_NS = 1_000_000_000;

  private final Blackhole blackhole = new Blackhole(
      "Today's password is swordfish. I understand instantiating Blackholes directly is dangerous.");
  private final Arguments arguments;
  private final String operation;
  private final String memory;
  private final int count;
  private final long longestNs;

  /** Chooses the message of the next call. */
  private interface Next {
    void take(int call);
  }

  SingleCalls(Arguments arguments) {
    this.arguments = arguments;
    String[] parts = arguments.get("cell").split(":", 2);
    if (parts.length != 2) {
      throw new IllegalArgumentException(
          "found cell '" + arguments.get("cell") + "', expected OPERATION:MEMORY");
    }
    operation = parts[0];
    memory = parts[1];
    count = (int) arguments.number("calls", 10_000);
    longestNs = arguments.number("longest-ns", SECOND_NS);
  }

  /** Writes the nanoseconds of calls into {@code --out}; returns the fields of the event that says so. */
  <R> Map<String, Object> run(Cell<R> cell) throws Exception {
    long loading = System.nanoTime();
    Operations<R, ?, ?> operations = new Operations<>(cell);
    operations.load(Inputs.open(cell.schema(), arguments.get("dataset"), "", "", 0).messages());
    long preparing = System.nanoTime();
    Pass pass = operations.prepare(operation, Memory.parse(memory)).pass();
    long prepared = System.nanoTime();
    int[] order = order(operations.roots().size());
    Next next = alone(operations.lists(), order);
    long warmupNs = arguments.number("warmup-ns", 0);
    int warmups = 0;
    for (long start = System.nanoTime(); warmupNs > 0 && System.nanoTime() - start < warmupNs; ++warmups) {
      next.take(warmups);
      pass.run(blackhole);
    }
    if (warmupNs > 0) System.gc(); // objects of the preparation move to the old generation at once
    Map<String, Long> collectedBefore = collections();
    Garbage garbage = Garbage.now();
    Usage before = CellProfiler.usage();
    long begun = System.nanoTime();
    long[] times = timed(pass, next, count, longestNs);
    long elapsedNs = System.nanoTime() - begun;
    Usage after = CellProfiler.usage();
    long collectingMs = Garbage.now().collectingMs() - garbage.collectingMs();
    Map<String, Long> collected = collections();
    collected.replaceAll((kind, number) -> number - collectedBefore.getOrDefault(kind, 0L));
    write(Path.of(arguments.get("out")), times);
    Map<String, Object> said = new LinkedHashMap<>();
    said.put("operation", operation);
    said.put("memory", memory);
    said.put("calls", times.length);
    said.put("warmups", warmups);
    said.put("clock_ns", clockNs());
    said.put("resolution_ns", resolutionNs());
    said.put("loading_ns", preparing - loading);
    said.put("preparing_ns", prepared - preparing);
    said.put("elapsed_ns", elapsedNs);
    said.put("waited_ns", after.waitedSince(before));
    said.put("stolen_ns", after.stolenSince(before));
    said.put("collections", collected);
    said.put("collecting_ns", collectingMs * MS_NS);
    return said;
  }

  /** The message of each call, drawn before anything is timed. */
  private int[] order(int messages) {
    long only = arguments.number("message", -1);
    SplittableRandom draws = new SplittableRandom(arguments.number("place", 0));
    int[] order = new int[count];
    Arrays.setAll(order, call -> only >= 0 ? (int) (only % messages) : draws.nextInt(messages));
    return order;
  }

  /** From now on, passes over these lists are over one message alone, which the result chooses. */
  @SuppressWarnings("unchecked") // what is put into a list comes from it
  private Next alone(List<List<?>> lists, int[] order) {
    List<List<?>> all = new ArrayList<>();
    for (List<?> each : lists) {
      all.add(List.copyOf(each));
      each.subList(1, each.size()).clear();
    }
    return call -> {
      int message = order[call % count];
      for (int n = 0; n < all.size(); ++n) ((List<Object>) lists.get(n)).set(0, all.get(n).get(message));
    };
  }

  private long[] timed(Pass pass, Next next, int most, long longestNs) throws Exception {
    long[] times = new long[most];
    int made = 0;
    long begun = System.nanoTime();
    while (made < most) {
      next.take(made);
      long start = System.nanoTime();
      pass.run(blackhole);
      long end = System.nanoTime();
      times[made++] = end - start;
      if (end - begun > longestNs) break;
    }
    return Arrays.copyOf(times, made);
  }

  /** What the clock, the loop and the call of a pass take without any work: the median of many. */
  private long clockNs() throws Exception {
    long[] times = timed(blackhole -> {}, call -> {}, EMPTY_CALLS, SECOND_NS);
    Arrays.sort(times);
    return times[times.length / 2];
  }

  /** The least step of the clock. */
  private static long resolutionNs() {
    long least = MS_NS;
    long before = System.nanoTime();
    for (int n = 0; n < EMPTY_CALLS; ++n) {
      long now = System.nanoTime();
      if (now > before) least = Math.min(least, now - before);
      before = now;
    }
    return least;
  }

  /** How often each collector has been at work so far; the young and the old generation have their own. */
  private static Map<String, Long> collections() {
    Map<String, Long> found = new LinkedHashMap<>();
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      boolean isYoung = collector.getMemoryPoolNames().length < YOUNG_POOLS;
      String kind = (isYoung ? "young" : "full") + " (" + collector.getName() + ")";
      found.put(kind, Math.max(0, collector.getCollectionCount()));
    }
    return found;
  }

  private static void write(Path file, long[] times) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + Long.BYTES * times.length);
    out.order(ByteOrder.LITTLE_ENDIAN).put("SERBCALL".getBytes(StandardCharsets.US_ASCII));
    out.putInt(VERSION).putInt(0).putLong(times.length);
    for (long each : times) out.putLong(each);
    Files.write(file, out.array());
  }
}
