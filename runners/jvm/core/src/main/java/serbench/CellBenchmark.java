package serbench;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The one JMH benchmark: a pass of the operations that its parameters name, one after the other.
 *
 * <p>It is generic in the source and special in each fork: a fork loads one cell, so the compiler sees one adapter and one root
 * type. Of its iterations, so many in a row are an operation's; before the first of them the operation is warmed up.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CellBenchmark {
  @Param("")
  public String cell;

  @Param("")
  public String dataset;

  /** OPERATION:MEMORY of each, with commas between them. */
  @Param("")
  public String operations;

  /** Of each operation. */
  @Param("1")
  public int iterations;

  @Param("0")
  public long warmupNs;

  private static final int CHUNK = 1 << 20;

  private Preparation preparation;
  private Iterator<String> left;
  private int begun = 0; // iterations
  private Pass pass;
  private volatile byte[] chunk; // volatile, so that no chunk is left out

  /** The pass of an operation over the dataset. */
  private interface Preparation {
    Pass pass(String operation, Memory memory) throws Exception;
  }

  @Setup(Level.Trial)
  public void load() throws Exception {
    preparation = load(Cells.load(cell));
    left = List.of(operations.split(",")).iterator();
    touchYoungGeneration();
  }

  @Setup(Level.Iteration)
  public void prepare(Blackhole blackhole) throws Exception {
    if (begun++ % iterations == 0) warmUp(blackhole);
    CellProfiler.passesBegin();
  }

  @TearDown(Level.Iteration)
  public void finish() {
    CellProfiler.passesEnd();
  }

  private void warmUp(Blackhole blackhole) throws Exception {
    String[] next = left.next().split(":", 2);
    pass = preparation.pass(next[0], Memory.parse(next[1]));
    System.gc(); // what it works on moves to the old generation at once, not in somebody's sample
    WarmUp warmUp = new WarmUp(pass, blackhole);
    warmUp.run(warmupNs);
    CellProfiler.warmedUp(warmUp);
  }

  /**
   * Allocates once around the young generation. The system gives memory page by page when it is first written, at 3 to 10 µs a
   * page on a virtual machine: a codec that allocates two pages a message seemed to be 80 times as slow until it came round.
   */
  private void touchYoungGeneration() {
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (!pool.getName().contains("Eden")) continue;
      for (long left = pool.getUsage().getCommitted(); left > 0; left -= CHUNK) chunk = new byte[CHUNK];
    }
    chunk = null;
  }

  private <R> Preparation load(Cell<R> loaded) throws Exception {
    Operations<R, ?, ?> all = new Operations<>(loaded);
    all.load(MessageFile.openDataset(Path.of(dataset), loaded.schema()).messages());
    return all::pass;
  }

  @Benchmark
  public void pass(Blackhole blackhole) throws Exception {
    pass.run(blackhole);
  }
}
