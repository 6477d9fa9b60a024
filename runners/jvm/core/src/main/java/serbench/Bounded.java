package serbench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts this program anew with a heap of 1 GiB beside what it has itself, for messages that may ask for all
 * memory.
 */
final class Bounded {
  private static final long HEAP_MIB = 1024 + 64;

  private Bounded() {}

  /** Whether this process may have a larger heap than that. */
  static boolean isNeeded() {
    return Runtime.getRuntime().maxMemory() > HEAP_MIB << 20;
  }

  /** Runs this program with the same words, to its end; returns its status. */
  static int run(String[] words) throws IOException, InterruptedException {
    List<String> flags = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
    flags.add("-Xmx" + HEAP_MIB + "m");
    return start(flags, List.of(words));
  }

  /** Runs this program with these flags and words, to its end; returns its status. */
  static int start(List<String> flags, List<String> words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(words);
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }
}
