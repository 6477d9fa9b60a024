package serbench;

import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * The bytes that the current thread has allocated, and the time that collecting took so far.
 *
 * <p>JMH's own profiler counts from before an iteration is prepared, so what is done between samples counts
 * too.
 *
 * @param allocatedBytes -1 where this JVM does not tell
 */
record Garbage(long allocatedBytes, long collections, long collectingMs) {
  static Garbage now() {
    long collections = 0;
    long collectingMs = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      collections += Math.max(0, collector.getCollectionCount());
      collectingMs += Math.max(0, collector.getCollectionTime());
    }
    boolean told = ManagementFactory.getThreadMXBean() instanceof ThreadMXBean;
    ThreadMXBean threads = told ? (ThreadMXBean) ManagementFactory.getThreadMXBean() : null;
    return new Garbage(told ? threads.getCurrentThreadAllocatedBytes() : -1, collections, collectingMs);
  }
}
