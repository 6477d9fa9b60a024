package serbench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Runs batches of passes until their speed settles, since how long a JIT compiler takes depends on the codec:
 * 1 s was seen to be too little for Avro by a factor of eight, and FastCSV took 5 s.
 *
 * <p>The speed has settled when the medians of two windows of batches agree and compilers did next to nothing
 * meanwhile. Equal times alone are not enough: the code of the first compiler runs evenly too, until the
 * second one's replaces it. What compilers do is told by the time that other threads than this one were on a
 * core, without that of the garbage collector: the JVM's own count of compilation time grows only when a
 * method is done, which took more than a second on a busy machine.
 */
final class WarmUp {
  /** Batches of a window; their median shrugs off a garbage collection or two. */
  private static final int WINDOW = 5;

  /** A batch lasts at least this long. */
  private static final long BATCH_NS = 100_000_000;

  /** Medians of windows that differ by less are the same. */
  private static final double TOLERANCE = 0.03;

  /**
   * Compilers that worked for less than this part of our own time are at the edges of the program, not in
   * its loops.
   */
  private static final double COMPILING = 0.05;

  private final Pass pass;
  private final Blackhole blackhole;
  private final OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  /** Batches that were run. */
  int batches = 0;

  boolean settled = false;

  WarmUp(Pass pass, Blackhole blackhole) {
    this.pass = pass;
    this.blackhole = blackhole;
  }

  /** Runs until the speed is settled, or for {@code limitNs} at most; a batch that was begun is ended. */
  void run(long limitNs) throws Exception {
    long start = System.nanoTime();
    double[] times = new double[2 * WINDOW]; // nanoseconds of a pass in the last batches, a ring
    long[] own = new long[2 * WINDOW]; // time on a core when each began, of this thread
    long[] compiling = new long[2 * WINDOW]; // and of the compilers
    while (!settled && System.nanoTime() - start < limitNs) {
      int slot = batches % times.length;
      own[slot] = threads.getCurrentThreadCpuTime();
      compiling[slot] = compilingNs();
      times[slot] = batch();
      ++batches;
      if (batches >= times.length) {
        int oldest = batches % times.length;
        long worked = threads.getCurrentThreadCpuTime() - own[oldest];
        settled = agree(times, oldest) && compilingNs() - compiling[oldest] < COMPILING * worked;
      }
    }
  }

  /** Time on a core of all threads but this one and the garbage collector's: that of the compilers. */
  private long compilingNs() {
    long collecting = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      collecting += 1_000_000 * collector.getCollectionTime();
    }
    return process.getProcessCpuTime() - threads.getCurrentThreadCpuTime() - collecting;
  }

  private double batch() throws Exception {
    long start = System.nanoTime();
    long passes = 0;
    long elapsed;
    do {
      pass.run(blackhole);
      ++passes;
      elapsed = System.nanoTime() - start;
    } while (elapsed < BATCH_NS);
    return (double) elapsed / passes;
  }

  /** Whether the older and the newer window of the ring have about the same median. */
  private static boolean agree(double[] times, int oldest) {
    double older = median(times, oldest);
    double newer = median(times, oldest + WINDOW);
    return Math.abs(newer - older) <= TOLERANCE * older;
  }

  private static double median(double[] times, int from) {
    double[] window = new double[WINDOW];
    for (int n = 0; n < WINDOW; ++n) window[n] = times[(from + n) % times.length];
    Arrays.sort(window);
    return window[WINDOW / 2];
  }
}
