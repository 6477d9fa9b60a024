package serbench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/** Whether a codec's threads work on when no operation runs, and so outside the clock. */
final class Idle {
  private static final long WAIT_MS = 20;

  /** What threads may take in that time; those of a machine virtual by itself, compilers and collectors, are not among them. */
  private static final long MOST_NS = 2_000_000;

  private Idle() {}

  /**
   * Waits for a moment.
   *
   * @throws IllegalStateException threads have been at work meanwhile
   */
  static void check() throws InterruptedException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    if (!threads.isThreadCpuTimeSupported()) return;
    Map<Long, Long> before = times(threads);
    Thread.sleep(WAIT_MS);
    Map<Long, Long> after = times(threads);
    long worked = 0;
    for (Map.Entry<Long, Long> each : after.entrySet()) worked += each.getValue() - before.getOrDefault(each.getKey(), 0L);
    if (worked <= MOST_NS) return;
    throw new IllegalStateException(
        String.format(
            "of the %d threads of this process, some are still at work when no operation runs: they took %d microseconds of %d",
            after.size(), worked / 1000, WAIT_MS * 1000));
  }

  /** Nanoseconds on a core of each thread but this one. */
  private static Map<Long, Long> times(ThreadMXBean threads) {
    Map<Long, Long> times = new HashMap<>();
    for (long id : threads.getAllThreadIds()) {
      long time = id == Thread.currentThread().getId() ? -1 : threads.getThreadCpuTime(id);
      if (time >= 0) times.put(id, time);
    }
    return times;
  }
}
