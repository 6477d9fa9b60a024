package serbench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/** Carries from the fork to the runner what JMH does not: how the warm-up went, and what disturbed an iteration. */
public final class CellProfiler implements InternalProfiler {
  static final String WARMUPS = "serbench.warmups";
  static final String SETTLED = "serbench.settled";
  static final String STOLEN = "serbench.stolen";

  /** Linux counts in hundredths of a second for user space on every architecture that has a JDK (man 5 proc). */
  private static final long TICK_NS = 10_000_000;

  private static int warmups = 0;
  private static boolean settled = false;

  private long stolenBefore = -1;

  static void warmedUp(WarmUp warmUp) {
    warmups = warmUp.batches;
    settled = warmUp.settled;
  }

  @Override
  public String getDescription() {
    return "warm-up and disturbances of serbench's cells";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    stolenBefore = stolenNs();
  }

  @Override
  public Collection<ScalarResult> afterIteration(BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    long stolenAfter = stolenNs();
    return List.of(
        new ScalarResult(WARMUPS, warmups, "batches", AggregationPolicy.MAX),
        new ScalarResult(SETTLED, settled ? 1 : 0, "yes or no", AggregationPolicy.MIN),
        new ScalarResult(STOLEN, stolenBefore < 0 ? -1 : stolenAfter - stolenBefore, "ns", AggregationPolicy.SUM));
  }

  /** Time that the hypervisor gave to others, from the first line of /proc/stat; -1 where there is none. */
  private static long stolenNs() {
    try (var lines = Files.lines(Path.of("/proc/stat"))) {
      String[] words = lines.findFirst().orElse("").trim().split(" +");
      return words.length > 8 ? Long.parseLong(words[8]) * TICK_NS : -1;
    } catch (IOException | NumberFormatException error) {
      return -1;
    }
  }
}
