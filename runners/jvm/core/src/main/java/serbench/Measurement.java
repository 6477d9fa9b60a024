package serbench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Measures cells with JMH, each in a fork of its own; an iteration of JMH is a sample. */
final class Measurement {
  /**
   * What forks run with, whatever the machine, one flag a line: a fixed heap and its parts, and the collector that a process
   * pinned to one core gets by itself. The young generation is small enough to be collected in every sample of a codec that
   * makes garbage; the old one holds the full graph with its bytes and views. serbench names the flags in its results, from the
   * same file.
   */
  static final List<String> FORK_FLAGS = readFlags();

  /** An iteration lasts at least this long, so that the garbage of its passes is collected within it or its neighbours. */
  private static final long LEAST_SAMPLE_NS = 200_000_000;

  private static final long DEFAULT_WARMUP_NS = 10_000_000_000L;

  private final String cell;
  private final Arguments arguments;
  private final List<String> offered;
  private final Events events;
  private final int samples;
  private final int passes;
  private final long sampleNs;

  /** {@code cell} is the name of its class, which forks load; {@code offered} are the operations that it has. */
  Measurement(String cell, Arguments arguments, List<String> offered, Events events) {
    this.cell = cell;
    this.arguments = arguments;
    this.offered = offered;
    this.events = events;
    samples = (int) arguments.number("samples", 3);
    passes = (int) arguments.number("iterations", 0);
    sampleNs = Math.max(arguments.number("sample-ns", 0), LEAST_SAMPLE_NS);
  }

  /** {@code --cells} is a comma-separated list of OPERATION:MEMORY, measured in this order. */
  void run() throws RunnerException {
    for (String asked : arguments.get("cells").split(",")) {
      String[] parts = asked.split(":", 2);
      if (parts.length != 2) throw new IllegalArgumentException("found cell '" + asked + "', expected OPERATION:MEMORY");
      if (!offered.contains(parts[0])) throw new IllegalArgumentException("this codec has no operation " + parts[0]);
      Memory.parse(parts[1]);
      for (IterationResult iteration : measure(parts[0], parts[1])) {
        events.say("sample", sample(parts[0], parts[1], iteration));
      }
    }
  }

  /** One fork; its measured iterations. */
  private List<IterationResult> measure(String operation, String memory) throws RunnerException {
    // JMH's words go to standard error: standard output is for events.
    OutputFormat output = OutputFormatFactory.createFormatInstance(System.err, VerboseMode.NORMAL);
    List<IterationResult> iterations = new ArrayList<>();
    for (RunResult result : new Runner(options(operation, memory).build(), output).run()) {
      for (BenchmarkResult fork : result.getBenchmarkResults()) iterations.addAll(fork.getIterationResults());
    }
    // JMH takes it for no error that nothing was measured.
    if (iterations.size() != samples) {
      throw new RunnerException(
          "JMH took " + iterations.size() + " samples of " + operation + ":" + memory + ", expected " + samples);
    }
    return iterations;
  }

  private ChainedOptionsBuilder options(String operation, String memory) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + CellBenchmark.class.getName().replace(".", "\\.") + "\\.pass$")
            .param("cell", cell)
            .param("dataset", arguments.get("dataset"))
            .param("operation", operation)
            .param("memory", memory)
            .param("warmupNs", String.valueOf(passes > 0 ? 0 : arguments.number("warmup-ns", DEFAULT_WARMUP_NS)))
            .forks(1)
            .jvmArgs(FORK_FLAGS.toArray(String[]::new))
            .shouldFailOnError(true)
            .addProfiler(GCProfiler.class)
            .addProfiler(CellProfiler.class)
            .warmupIterations(2) // of its own loop around our passes, which WarmUp has not run
            .measurementIterations(samples);
    if (passes > 0) {
      return options.mode(Mode.SingleShotTime).warmupBatchSize(Math.max(passes / 100, 1)).measurementBatchSize(passes);
    }
    return options.warmupTime(TimeValue.nanoseconds(sampleNs)).measurementTime(TimeValue.nanoseconds(sampleNs));
  }

  private static List<String> readFlags() {
    try (InputStream in = Measurement.class.getResourceAsStream("fork-flags")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
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
    put(sample, "allocated_bytes_per_op", iteration, "gc.alloc.rate.norm", passes > 0 ? 1.0 / passes : 1);
    put(sample, "collections", iteration, "gc.count", 1);
    put(sample, "collecting_ns", iteration, "gc.time", 1e6);
    put(sample, "involuntary_switches", iteration, CellProfiler.SWITCHES, 1);
    put(sample, "waited_ns", iteration, CellProfiler.WAITED, 1);
    put(sample, "page_faults", iteration, CellProfiler.FAULTS, 1);
    put(sample, "stolen_ns", iteration, CellProfiler.STOLEN, 1);
    put(sample, "warmups", iteration, CellProfiler.WARMUPS, 1);
    sample.put("settled", score(iteration, CellProfiler.SETTLED) == 1);
    return sample;
  }

  private static void put(Map<String, Object> sample, String name, IterationResult iteration, String label, double scale) {
    double found = score(iteration, label);
    if (!Double.isNaN(found)) sample.put(name, Math.round(found * scale));
  }

  /** A secondary result by its label; NaN where JMH has none. */
  @SuppressWarnings("rawtypes") // as JMH declares them
  private static double score(IterationResult iteration, String label) {
    Collection<Result> found = iteration.getSecondaryResults().values();
    return found.stream().filter(r -> r.getLabel().equals(label)).mapToDouble(Result::getScore).findFirst().orElse(Double.NaN);
  }
}
