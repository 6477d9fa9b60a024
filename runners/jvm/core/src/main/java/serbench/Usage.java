package serbench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The time that all threads of this process used so far and that others took, from the files of {@code /proc}
 * (man 5 proc); a number is {@link #UNKNOWN} where the system does not tell.
 */
final class Usage {
  static final long UNKNOWN = -1;

  /** Linux counts in hundredths of a second for user space on every architecture that has a JDK. */
  private static final long TICK_NS = 10_000_000;

  // Words of files of /proc, counted from 0. Those of a process's stat are counted from behind its name,
  // which may have blanks.
  private static final int STOLEN = 8;
  private static final int MINOR_FAULTS = 7;
  private static final int MAJOR_FAULTS = 9;
  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;

  /**
   * The scheduler's statistics of a thread: nanoseconds on a core, and ready without one; times that it lost
   * its core.
   */
  private record Scheduled(long ranNs, long delayedNs, long switches) {
    Scheduled withRan(long exactNs) {
      return new Scheduled(exactNs, delayedNs, switches);
    }
  }

  /**
   * The process as a whole, with its threads that have ended: its time on cores in whole ticks, and its page
   * faults.
   */
  private record Whole(long ranNs, long pageFaults) {}

  private final long atNs;
  private final Map<String, Scheduled> threads;
  private final Whole whole;
  private final Set<String> cores;
  private final long stolenNs;

  private Usage(long atNs, Map<String, Scheduled> threads, Whole whole, Set<String> cores, long stolenNs) {
    this.atNs = atNs;
    this.threads = threads;
    this.whole = whole;
    this.cores = cores;
    this.stolenNs = stolenNs;
  }

  /**
   * The counters up to now.
   *
   * @param proc where the system's files are, {@code /proc}
   * @param ranNs the time that the current thread was on a core: the kernel books that of a running thread
   *     into its files at its ticks only, some milliseconds apart
   * @param clock a monotonic one
   */
  static Usage read(Path proc, LongSupplier ranNs, LongSupplier clock) {
    Path self = proc.resolve("self");
    Set<String> cores = coresOf(field(self.resolve("status"), "Cpus_allowed_list:"));
    Whole whole = readWhole(self.resolve("stat"));
    long stolenNs = readStolen(proc, cores);
    Map<String, Scheduled> threads = readThreads(self.resolve("task"));
    // Last and together, since reading takes milliseconds too.
    threads.computeIfPresent(currentThread(proc), (number, found) -> found.withRan(ranNs.getAsLong()));
    return new Usage(clock.getAsLong(), threads, whole, cores, stolenNs);
  }

  /** The time that the process's threads were on cores. */
  long ranSince(Usage before) {
    if (threads.isEmpty() || before.threads.isEmpty()) return UNKNOWN;
    long ran = 0;
    for (Map.Entry<String, Scheduled> thread : threads.entrySet()) {
      ran += thread.getValue().ranNs - earlier(before, thread.getKey()).ranNs;
    }
    // Threads that have ended are in the whole alone, each of whose two parts is exact to a tick.
    return Math.max(ran, whole.ranNs - before.whole.ranNs - 2 * TICK_NS);
  }

  private static Scheduled earlier(Usage before, String thread) {
    return before.threads.getOrDefault(thread, new Scheduled(0, 0, 0));
  }

  /** The time that the process's threads were ready while another process had their core. */
  long waitedSince(Usage before) {
    long ran = ranSince(before);
    if (ran == UNKNOWN) return UNKNOWN;
    long delayed = 0;
    for (Map.Entry<String, Scheduled> thread : threads.entrySet()) {
      delayed += thread.getValue().delayedNs - earlier(before, thread.getKey()).delayedNs;
    }
    // A thread that waits while another one of the process runs is not disturbed by others: where the
    // process's own threads filled the cores, nobody else had them.
    long notOurs = Math.max(cores.size(), 1) * (atNs - before.atNs) - ran;
    return Math.max(0, Math.min(delayed, notOurs));
  }

  /** How often threads lost their core, be it to another of the process. */
  long involuntarySwitchesSince(Usage before) {
    if (threads.isEmpty() || before.threads.isEmpty()) return UNKNOWN;
    long switches = 0;
    for (Map.Entry<String, Scheduled> thread : threads.entrySet()) {
      switches += thread.getValue().switches - earlier(before, thread.getKey()).switches;
    }
    return switches;
  }

  long pageFaultsSince(Usage before) {
    return difference(before.whole.pageFaults, whole.pageFaults);
  }

  /** The time that the hypervisor gave to others, of the cores that the process may run on. */
  long stolenSince(Usage before) {
    return difference(before.stolenNs, stolenNs);
  }

  private static long difference(long before, long after) {
    return before < 0 || after < 0 ? UNKNOWN : after - before;
  }

  /** The statistics of each thread, by its number; empty where the system does not tell. */
  private static Map<String, Scheduled> readThreads(Path tasks) {
    Map<String, Scheduled> threads = new HashMap<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(tasks)) {
      for (Path folder : folders) {
        String[] words = words(firstLine(folder.resolve("schedstat")));
        if (words.length < 2) continue; // it has just ended, or the system has no such statistics
        long switches =
            field(folder.resolve("status"), "nonvoluntary_ctxt_switches:").map(Long::parseLong).orElse(0L);
        threads.put(
            folder.getFileName().toString(),
            new Scheduled(Long.parseLong(words[0]), Long.parseLong(words[1]), switches));
      }
    } catch (IOException | NumberFormatException error) {
      threads.clear();
    }
    return threads;
  }

  /** The number of the current thread, as its folder is named; empty where the system does not tell. */
  private static String currentThread(Path proc) {
    try {
      return Files.readSymbolicLink(proc.resolve("thread-self")).getFileName().toString();
    } catch (IOException error) {
      return "";
    }
  }

  private static Whole readWhole(Path stat) {
    String line = firstLine(stat);
    String[] words = words(line.substring(line.lastIndexOf(')') + 1));
    if (words.length <= SYSTEM_TICKS) return new Whole(0, UNKNOWN);
    long ticks = Long.parseLong(words[USER_TICKS]) + Long.parseLong(words[SYSTEM_TICKS]);
    return new Whole(
        ticks * TICK_NS, Long.parseLong(words[MINOR_FAULTS]) + Long.parseLong(words[MAJOR_FAULTS]));
  }

  private static long readStolen(Path proc, Set<String> cores) {
    long ticks = 0;
    int found = 0;
    for (String line : lines(proc.resolve("stat"))) {
      String[] words = words(line);
      if (!words[0].startsWith("cpu") || !cores.contains(words[0].substring(3)) || words.length <= STOLEN) {
        continue;
      }
      ticks += Long.parseLong(words[STOLEN]);
      ++found;
    }
    return found > 0 ? ticks * TICK_NS : UNKNOWN;
  }

  /** The numbers in a list such as {@code 0-2,5}. */
  private static Set<String> coresOf(Optional<String> list) {
    Set<String> cores = new HashSet<>();
    for (String range : list.orElse("").split(",")) {
      if (range.isEmpty()) continue;
      String[] ends = range.split("-");
      for (int n = Integer.parseInt(ends[0]); n <= Integer.parseInt(ends[ends.length - 1]); ++n) {
        cores.add(String.valueOf(n));
      }
    }
    return cores;
  }

  /** The text behind a name at the beginning of a line. */
  private static Optional<String> field(Path file, String name) {
    return lines(file)
        .stream()
        .filter(l -> l.startsWith(name))
        .map(l -> l.substring(name.length()).trim())
        .findFirst();
  }

  private static String[] words(String line) {
    return line.trim().split(" +");
  }

  /** The first line of a file; empty where there is no such file. */
  private static String firstLine(Path file) {
    return lines(file).stream().findFirst().orElse("");
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException error) {
      return List.of();
    }
  }
}
