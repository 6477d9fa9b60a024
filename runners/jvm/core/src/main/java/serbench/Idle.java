package serbench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/** Whether a codec's threads work on when no operation runs, and so outside the clock. */
final class Idle {
  private static final long WAIT_MS = 20;

  /**
   * How many times to wait: where other processes have the cores, a thread that is at work may not run
   * within one wait.
   */
  private static final int MOST_WAITS = 50;

  /**
   * How long threads may run in that time. The JVM's own threads, such as compilers and collectors, do not
   * count.
   */
  private static final long MOST_NS = 2_000_000;

  private Idle() {}

  /**
   * Waits for a moment, and sees whether threads work meanwhile.
   *
   * @throws IllegalStateException threads have been at work meanwhile
   */
  static void check() throws InterruptedException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    if (!threads.isThreadCpuTimeSupported()) return;
    Map<Long, Long> before = times(threads);
    Map<Long, Long> after = before;
    for (int n = 0; n == 0 || n < MOST_WAITS && someWorked(threads, after); ++n) {
      Thread.sleep(WAIT_MS);
      after = times(threads);
      long worked = 0;
      for (Map.Entry<Long, Long> each : after.entrySet()) {
        worked += each.getValue() - before.getOrDefault(each.getKey(), 0L);
      }
      if (worked > MOST_NS) throw new IllegalStateException(told(after.size(), worked, (n + 1) * WAIT_MS));
    }
  }

  private static String told(int threads, long workedNs, long waitedMs) {
    return String.format(
        "of the %d threads of this process, some are still at work when no operation runs: "
            + "they took %d microseconds of %d",
        threads, workedNs / 1000, waitedMs * 1000);
  }

  /** Whether a thread that has worked before waits for nothing but a core. */
  private static boolean someWorked(ThreadMXBean threads, Map<Long, Long> times) {
    for (Map.Entry<Long, Long> each : times.entrySet()) {
      ThreadInfo found = each.getValue() > MOST_NS ? threads.getThreadInfo(each.getKey()) : null;
      if (found != null && found.getThreadState() == Thread.State.RUNNABLE) return true;
    }
    return false;
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
