package serbench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures the cells of one codec and workload with JMH, in forks; an iteration of JMH is a sample, and is
 * told when it is taken.
 *
 * <p>The cells share a fork as those of C++ share a process: a fork takes a second and a half before it does
 * anything, and what encoding and decoding have in common is what they have in common in a program. Where a
 * fork fails, each cell that is not done gets one of its own, so that the failure is that of the cell at
 * work.
 */
final class Measurement {
  /**
   * The flags of forks on every machine, one a line: a fixed heap and its parts, and the collector that a
   * process pinned to one core gets by itself. The young generation is small enough to be collected in every
   * sample of a codec that makes garbage; the old one holds the full graph with its bytes and views. serbench
   * names the flags in its results, from the same file, with those of an edition ({@code serbench.flags}).
   */
  static final List<String> FORK_FLAGS = readFlags();

  /**
   * An iteration lasts at least this long, so that the garbage of its passes is collected within it or its
   * neighbours.
   */
  private static final long LEAST_SAMPLE_NS = 200_000_000;

  /**
   * Iterations before the first sample of each cell, for JMH's own loop around our passes, which the warm-up
   * has not run.
   */
  private static final int FIRST_ITERATIONS = 1;

  /**
   * The most cells of a fork: with more, what all of them begin with would lie in one heap, and every
   * collection would go through it.
   */
  private static final int CELLS_OF_A_FORK = 3;

  static final long DEFAULT_WARMUP_NS = 10_000_000_000L;

  private final String cell;
  private final Arguments arguments;
  private final List<String> offered;
  private final Events events;
  private final int samples;
  private final int passes;
  private final long sampleNs;

  /**
   * {@code cell} is the name of its class, which forks load; {@code offered} are the operations that it has.
   */
  Measurement(String cell, Arguments arguments, List<String> offered, Events events) {
    this.cell = cell;
    this.arguments = arguments;
    this.offered = offered;
    this.events = events;
    samples = (int) arguments.number("samples", 3);
    passes = (int) arguments.number("iterations", 0);
    sampleNs = sampleNs(arguments);
  }

  /** How long a sample lasts at least. */
  static long sampleNs(Arguments arguments) {
    return Math.max(arguments.number("sample-ns", 0), LEAST_SAMPLE_NS);
  }

  /** The operation and the memory policy of a cell. */
  static String[] parsed(String cell) {
    String[] parts = cell.split(":", 2);
    if (parts.length == 2) return parts;
    throw new IllegalArgumentException("found cell '" + cell + "', expected OPERATION:MEMORY");
  }

  /** {@code --cells} is a comma-separated list of OPERATION:MEMORY, measured in this order. */
  void run() throws RunnerException {
    List<String> cells = List.of(arguments.get("cells").split(","));
    for (String asked : cells) {
      String[] parts = parsed(asked);
      if (!offered.contains(parts[0])) {
        throw new IllegalArgumentException("this codec has no operation " + parts[0]);
      }
      Memory.parse(parts[1]);
    }
    if (!arguments.get("edits", "").isEmpty()) arguments.get("left"); // which goes with them
    for (int from = 0; from < cells.size(); from += CELLS_OF_A_FORK) {
      measure(cells.subList(from, Math.min(from + CELLS_OF_A_FORK, cells.size())));
    }
  }

  /** Measures cells in one fork; where it fails, each cell that is left in a fork of its own. */
  private void measure(List<String> cells) throws RunnerException {
    Fork fork = new Fork(cells);
    try {
      fork.run();
    } catch (RunnerException error) {
      if (cells.size() == 1) throw error;
      for (String cell : cells.subList(fork.done, cells.size())) new Fork(List.of(cell)).run();
    }
  }

  /** One fork and the cells that it measures, whose samples are told cell by cell. */
  private final class Fork {
    private final List<String> cells;
    private final List<Map<String, Object>> taken = new ArrayList<>(); // the samples of the cell at work
    private int iterations = 0;
    private int done = 0; // cells

    Fork(List<String> cells) {
      this.cells = cells;
    }

    void run() throws RunnerException {
      // JMH's words go to standard error: standard output is for events.
      OutputFormat output = OutputFormatFactory.createFormatInstance(System.err, VerboseMode.NORMAL);
      new Runner(options(cells).build(), listening(output)).run();
      // JMH takes it for no error that nothing was measured.
      if (done != cells.size()) {
        throw new RunnerException("JMH took samples of " + done + " cells, expected " + cells.size());
      }
    }

    private OutputFormat listening(OutputFormat output) {
      InvocationHandler handler =
          (proxy, method, words) -> {
            if (method.getName().equals("iterationResult")) take((IterationResult) words[3]);
            return method.invoke(output, words);
          };
      Class<?>[] interfaces = {OutputFormat.class};
      return (OutputFormat) Proxy.newProxyInstance(OutputFormat.class.getClassLoader(), interfaces, handler);
    }

    private void take(IterationResult iteration) {
      if (iterations++ % (FIRST_ITERATIONS + samples) < FIRST_ITERATIONS) return;
      String[] parts = cells.get(done).split(":", 2);
      taken.add(sample(parts[0], parts[1], iteration));
      if (taken.size() < samples) return;
      taken.forEach(each -> events.say("sample", each));
      taken.clear();
      ++done;
    }
  }

  private ChainedOptionsBuilder options(List<String> cells) {
    long warmupNs = passes > 0 ? 0 : arguments.number("warmup-ns", DEFAULT_WARMUP_NS);
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + CellBenchmark.class.getName().replace(".", "\\.") + "\\.pass$")
            .param("cell", cell)
            .param("dataset", arguments.get("dataset"))
            .param("edits", arguments.get("edits", ""))
            .param("encoded", arguments.get("encoded", ""))
            .param("writerSchema", WriterSchema.file())
            .param("left", arguments.get("left", ""))
            .param("place", arguments.get("place", "0"))
            .param("operations", String.join(",", cells))
            .param("iterations", String.valueOf(FIRST_ITERATIONS + samples))
            .param("warmupNs", String.valueOf(warmupNs))
            .forks(1)
            .jvmArgs(FORK_FLAGS.toArray(String[]::new))
            .shouldFailOnError(true)
            .addProfiler(CellProfiler.class)
            .warmupIterations(0) // each cell has its own
            .measurementIterations(cells.size() * (FIRST_ITERATIONS + samples));
    if (passes > 0) return options.mode(Mode.SingleShotTime).measurementBatchSize(passes);
    return options.measurementTime(TimeValue.nanoseconds(sampleNs));
  }

  private static List<String> readFlags() {
    try (InputStream in = Measurement.class.getResourceAsStream("fork-flags")) {
      String own = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      return (own + System.getProperty("serbench.flags", "")).lines().toList();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private Map<String, Object> sample(String operation, String memory, IterationResult iteration) {
    // One operation of JMH is a pass; in a single shot it is the whole batch.
    long operations = iteration.getMetadata().getMeasuredOps();
    long iterations = passes > 0 ? passes : operations;
    Map<String, Object> sample = new LinkedHashMap<>();
    sample.put("operation", operation);
    sample.put("memory", memory);
    sample.put("iterations", iterations);
    sample.put("elapsed_ns", Math.round(iteration.getPrimaryResult().getScore() * operations));
    put(sample, "allocated_bytes_per_op", iteration, CellProfiler.ALLOCATED, 1.0 / iterations);
    put(sample, "collections", iteration, CellProfiler.COLLECTIONS, 1);
    put(sample, "collecting_ns", iteration, CellProfiler.COLLECTING, 1e6);
    put(sample, "involuntary_switches", iteration, CellProfiler.SWITCHES, 1);
    put(sample, "waited_ns", iteration, CellProfiler.WAITED, 1);
    put(sample, "own_ns", iteration, CellProfiler.OWN, 1);
    put(sample, "page_faults", iteration, CellProfiler.FAULTS, 1);
    put(sample, "stolen_ns", iteration, CellProfiler.STOLEN, 1);
    put(sample, "warmups", iteration, CellProfiler.WARMUPS, 1);
    put(sample, "left", iteration, CellProfiler.LEFT, 1);
    sample.put("settled", score(iteration, CellProfiler.SETTLED) == 1);
    return sample;
  }

  private static void put(
      Map<String, Object> sample, String name, IterationResult iteration, String label, double scale) {
    double found = score(iteration, label);
    if (!Double.isNaN(found)) sample.put(name, Math.round(found * scale));
  }

  /** A secondary result by its label; NaN where JMH has none. */
  @SuppressWarnings("rawtypes") // as JMH declares them
  private static double score(IterationResult iteration, String label) {
    Collection<Result> found = iteration.getSecondaryResults().values();
    return found.stream()
        .filter(r -> r.getLabel().equals(label))
        .mapToDouble(Result::getScore)
        .findFirst()
        .orElse(Double.NaN);
  }
}
