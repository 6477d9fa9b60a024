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
 * <p>It is generic in the source and special in each fork: a fork loads one cell, so the compiler sees one
 * adapter and one root type. Each operation has {@code iterations} iterations in a row, and is warmed up
 * before the first of them.
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

  /** The number of iterations of each operation. */
  @Param("1")
  public int iterations;

  @Param("0")
  public long warmupNs;

  /** The file of edits by which values change between iterations; empty where they stay as they are. */
  @Param("")
  public String edits;

  /** The file of bytes that another program has encoded; empty where the codec's own encoder makes them. */
  @Param("")
  public String encoded;

  /** The file of the schema by which that program wrote; empty where it is this program's own. */
  @Param("")
  public String writerSchema;

  /** The file to which it is appended what passes left, where values change. */
  @Param("")
  public String left;

  /** The number from which edits are drawn. */
  @Param("0")
  public long place;

  private static final int CHUNK = 1 << 20;

  private Preparation preparation;
  private Iterator<String> toCome; // operations
  private int begun = 0; // iterations
  private String operation;
  private Memory memory;
  private Timed timed;
  private Pass pass;
  private Watched watched = new Watched() {};
  private static volatile byte[] chunk; // volatile, so that no chunk is left out

  /** Prepares an operation over the dataset. */
  private interface Preparation {
    Timed prepare(String operation, Memory memory) throws Exception;
  }

  /** The work around the passes of an iteration, outside the clock. */
  private interface Watched {
    default void renew(Timed timed) throws Exception {}

    default void writeDown(String operation, Memory memory, Timed timed) throws Exception {}

    /** Called once for a cell, after its last iteration. */
    default void finish(String operation, Memory memory, Blackhole blackhole) throws Exception {}
  }

  @Setup(Level.Trial)
  public void load() throws Exception {
    WriterSchema.read(writerSchema); // before classes of adapters are loaded, which ask for it
    preparation = load(Cells.load(cell));
    toCome = List.of(operations.split(",")).iterator();
    touchYoungGeneration();
  }

  @Setup(Level.Iteration)
  public void prepare(Blackhole blackhole) throws Exception {
    if (begun++ % iterations == 0) warmUp(blackhole);
    watched.renew(timed);
    CellProfiler.passesBegin();
  }

  @TearDown(Level.Iteration)
  public void finish(Blackhole blackhole) throws Exception {
    CellProfiler.passesEnd();
    watched.writeDown(operation, memory, timed);
    if (begun % iterations == 0) watched.finish(operation, memory, blackhole);
  }

  private void warmUp(Blackhole blackhole) throws Exception {
    String[] next = toCome.next().split(":", 2);
    operation = next[0];
    memory = Memory.parse(next[1]);
    timed = preparation.prepare(operation, memory);
    pass = timed.pass();
    System.gc(); // its objects move to the old generation at once, not in somebody's sample
    WarmUp warmUp = new WarmUp(pass, blackhole);
    warmUp.run(warmupNs);
    CellProfiler.warmedUp(warmUp);
  }

  /**
   * Allocates once around the young generation. The system gives memory page by page when it is first
   * written, at 3 to 10 µs a page on a virtual machine: a codec that allocates two pages a message seemed to
   * be 80 times as slow until it came round.
   */
  static void touchYoungGeneration() {
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (!pool.getName().contains("Eden")) continue;
      for (long left = pool.getUsage().getCommitted(); left > 0; left -= CHUNK) chunk = new byte[CHUNK];
    }
    chunk = null;
  }

  private <R> Preparation load(Cell<R> loaded) throws Exception {
    Operations<R, ?, ?> all = new Operations<>(loaded);
    Inputs inputs = Inputs.open(loaded.schema(), dataset, edits, encoded, place);
    all.load(inputs.messages());
    if (inputs.edits() != null) watched = watching(loaded, all, inputs);
    return all::prepare;
  }

  private <R, N, V> Watched watching(Cell<R> loaded, Operations<R, N, V> all, Inputs inputs)
      throws Exception {
    Watching<R, N, V> watching = new Watching<>(loaded, all, inputs, Path.of(left), place);
    Unseen<R, N, V> unseen = new Unseen<>(loaded, inputs.messages(), watching);
    return new Watched() {
      private boolean isWatched = false;

      @Override
      public void renew(Timed timed) throws Exception {
        isWatched = watching.drawWatched();
        if (!isWatched) return;
        watching.renew();
        watching.spoil(timed);
        System.gc(); // new objects move to the old generation at once, as before the warm-up
      }

      @Override
      public void writeDown(String operation, Memory memory, Timed timed) throws Exception {
        if (!isWatched) return;
        watching.writeDown(operation, memory, timed);
        CellProfiler.wroteDown();
      }

      @Override
      public void finish(String operation, Memory memory, Blackhole blackhole) throws Exception {
        Idle.check();
        unseen.check(operation, memory, blackhole);
      }
    };
  }

  @Benchmark
  public void pass(Blackhole blackhole) throws Exception {
    pass.run(blackhole);
  }
}
