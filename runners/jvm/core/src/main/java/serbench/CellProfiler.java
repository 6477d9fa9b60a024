package serbench;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Carries from the fork to the runner what JMH does not: how the warm-up went, and what disturbed an
 * iteration.
 */
public final class CellProfiler implements InternalProfiler {
  static final String WARMUPS = "serbench.warmups";
  static final String SETTLED = "serbench.settled";
  static final String LEFT = "serbench.left";
  static final String SWITCHES = "serbench.switches";
  static final String WAITED = "serbench.waited";
  static final String OWN = "serbench.own";
  static final String FAULTS = "serbench.faults";
  static final String STOLEN = "serbench.stolen";
  static final String ALLOCATED = "serbench.allocated";
  static final String COLLECTIONS = "serbench.collections";
  static final String COLLECTING = "serbench.collecting";

  /**
   * How long to wait before an iteration. The fork tells JMH's runner of each iteration, and the runner,
   * which shares its core, works on that for some milliseconds: 3 to 9 of 200 were seen. That work has to be
   * over when the iteration begins.
   */
  private static final long RUNNER_MS = 50;

  private static int warmups = 0;
  private static boolean settled = false;
  private static int left = 0; // how often it was written down what the passes of an iteration left

  // Read by the thread that runs the passes, right before and behind them: what JMH does around an iteration
  // takes milliseconds, in which the core also idles, and idling cannot be told from work of others.
  private static Usage before;
  private static Usage after;
  private static Garbage garbageBefore;
  private static Garbage garbageAfter;

  static void warmedUp(WarmUp warmUp) {
    warmups = warmUp.batches;
    settled = warmUp.settled;
  }

  static void wroteDown() {
    ++left;
  }

  static void passesBegin() {
    left = 0;
    before = usage();
    garbageBefore = Garbage.now();
  }

  static void passesEnd() {
    garbageAfter = Garbage.now();
    after = usage();
  }

  @Override
  public String getDescription() {
    return "warm-up and disturbances of serbench's cells";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    try {
      Thread.sleep(RUNNER_MS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Collection<ScalarResult> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    if (before == null || after == null) return List.of(); // preparing failed, and that is what is to be told
    long collections = garbageAfter.collections() - garbageBefore.collections();
    long collectingMs = garbageAfter.collectingMs() - garbageBefore.collectingMs();
    return List.of(
        new ScalarResult(WARMUPS, warmups, "batches", AggregationPolicy.MAX),
        new ScalarResult(SETTLED, settled ? 1 : 0, "yes or no", AggregationPolicy.MIN),
        new ScalarResult(LEFT, left, "times", AggregationPolicy.SUM),
        new ScalarResult(SWITCHES, after.involuntarySwitchesSince(before), "times", AggregationPolicy.SUM),
        new ScalarResult(WAITED, after.waitedSince(before), "ns", AggregationPolicy.SUM),
        new ScalarResult(OWN, after.ranSince(before), "ns", AggregationPolicy.SUM),
        new ScalarResult(FAULTS, after.pageFaultsSince(before), "pages", AggregationPolicy.SUM),
        new ScalarResult(STOLEN, after.stolenSince(before), "ns", AggregationPolicy.SUM),
        new ScalarResult(ALLOCATED, allocatedBytes(), "bytes", AggregationPolicy.SUM),
        new ScalarResult(COLLECTIONS, collections, "times", AggregationPolicy.SUM),
        new ScalarResult(COLLECTING, collectingMs, "ms", AggregationPolicy.SUM));
  }

  private static double allocatedBytes() {
    if (garbageBefore.allocatedBytes() < 0) return Double.NaN;
    return garbageAfter.allocatedBytes() - garbageBefore.allocatedBytes();
  }

  static Usage usage() {
    return Usage.read(
        Path.of("/proc"), ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime, System::nanoTime);
  }
}
