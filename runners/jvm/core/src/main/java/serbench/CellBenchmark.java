package serbench;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Path;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * The one JMH benchmark: a pass of whatever cell its parameters name.
 *
 * <p>It is generic in the source and special in each fork: a fork loads one cell and runs one operation of it, so the
 * compiler sees one adapter and one root type.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CellBenchmark {
  @Param("")
  public String cell;

  @Param("")
  public String dataset;

  @Param("")
  public String operation;

  @Param("")
  public String memory;

  @Param("0")
  public long warmupNs;

  private static final int CHUNK = 1 << 20;

  private Pass pass;
  private volatile byte[] chunk; // volatile, so that no chunk is left out

  @Setup(Level.Trial)
  public void prepare(Blackhole blackhole) throws Exception {
    pass = prepare(Cells.load(cell));
    touchYoungGeneration();
    System.gc(); // the dataset moves to the old generation at once, not in somebody's sample
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

  private <R> Pass prepare(Cell<R> loaded) throws Exception {
    Operations<R, ?, ?> operations = new Operations<>(loaded);
    operations.load(MessageFile.openDataset(Path.of(dataset), loaded.schema()).messages());
    return operations.pass(operation, Memory.parse(memory));
  }

  @Benchmark
  public void pass(Blackhole blackhole) throws Exception {
    pass.run(blackhole);
  }
}
