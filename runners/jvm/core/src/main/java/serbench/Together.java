package serbench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Takes samples of several threads at once, each of which has sides, objects and messages of its own
 * (docs/protocol.md, {@code --threads}). It does so in a process of its own with the flags of JMH's forks,
 * since JMH tells neither each thread's time nor what its last pass left.
 */
final class Together {
  /** The command by which this program starts itself. */
  static final String COMMAND = "measure-together";

  /** Samples of all threads that are thrown away before the first, so that the heap has grown. */
  private static final int WARMUPS = 2;

  private final Arguments arguments;
  private final int threads;
  private final long sampleNs;

  /** Whether threads use one adapter, with a library's objects that a program makes once. */
  private final boolean shares;

  private final ReentrantLock oneAtATime = new ReentrantLock(); // for what is not timed
  private final AtomicInteger arrived = new AtomicInteger();
  private int warmups = 0;
  private boolean settled = false;

  /** A step that a thread does. */
  private interface Step<T> {
    void run(T member) throws Exception;
  }

  Together(Arguments arguments) {
    this.arguments = arguments;
    threads = Math.toIntExact(arguments.number("threads", 1));
    sampleNs = Measurement.sampleNs(arguments);
    shares = Boolean.parseBoolean(arguments.get("shared", "false"));
  }

  /** Measures in another process, to its end; returns its status. */
  static int fork(String[] words) throws IOException, InterruptedException {
    List<String> own = new ArrayList<>(List.of(words));
    own.set(own.indexOf("measure"), COMMAND);
    return Bounded.start(Measurement.FORK_FLAGS, own);
  }

  /** Measures the cells of {@code --cells} one after the other, and says their samples. */
  void run(Cell<?> cell, Events events) throws Exception {
    CellBenchmark.touchYoungGeneration();
    for (String asked : arguments.get("cells").split(",")) {
      String[] parts = Measurement.parsed(asked);
      try (Team team = new Team()) {
        for (Map<String, Object> each : samples(team, cell, parts[0], Memory.parse(parts[1]))) {
          Map<String, Object> said = new LinkedHashMap<>();
          said.put("operation", parts[0]);
          said.put("memory", parts[1]);
          said.putAll(each);
          events.say("sample", said);
        }
      }
    }
    Idle.check();
  }

  private List<Map<String, Object>> samples(Team team, Cell<?> cell, String operation, Memory memory)
      throws Exception {
    team.all(alone(member -> {
      Cell<?> own = shares ? cell : cell.another();
      member.prepare(own, operation, memory);
    }));
    System.gc(); // objects of the preparation move to the old generation at once
    team.first(member -> {
      WarmUp warmUp = new WarmUp(member.timed.pass(), member.blackhole); // the code is that of all threads
      warmUp.run(arguments.number("warmup-ns", Measurement.DEFAULT_WARMUP_NS));
      warmups = warmUp.batches + WARMUPS;
      settled = warmUp.settled;
    });
    List<Map<String, Object>> taken = new ArrayList<>();
    long wanted = WARMUPS + arguments.number("samples", 3);
    for (int n = 0; n < wanted; ++n) taken.add(sample(team));
    return taken.subList(WARMUPS, taken.size());
  }

  private Map<String, Object> sample(Team team) throws Exception {
    team.all(alone(Member::renew));
    System.gc(); // new objects move to the old generation at once
    arrived.set(0);
    Garbage garbage = Garbage.now();
    Usage before = CellProfiler.usage();
    team.all(this::pass);
    Usage after = CellProfiler.usage();
    Garbage collected = Garbage.now();
    team.all(alone(Member::writeDown));
    long passes = team.members.stream().mapToLong(member -> member.passes).sum();
    long elapsed = team.members.stream().mapToLong(member -> member.elapsedNs).sum();
    long allocated = team.members.stream().mapToLong(member -> member.allocatedBytes).sum();
    Map<String, Object> sample = new LinkedHashMap<>();
    sample.put("iterations", passes);
    sample.put("elapsed_ns", Math.max(1, elapsed / threads));
    if (allocated >= 0) sample.put("allocated_bytes_per_op", allocated / passes);
    sample.put("collections", collected.collections() - garbage.collections());
    sample.put("collecting_ns", 1_000_000 * (collected.collectingMs() - garbage.collectingMs()));
    sample.put("involuntary_switches", after.involuntarySwitchesSince(before));
    sample.put("waited_ns", after.waitedSince(before));
    sample.put("own_ns", after.ranSince(before));
    sample.put("page_faults", after.pageFaultsSince(before));
    sample.put("stolen_ns", after.stolenSince(before));
    sample.put("warmups", warmups);
    sample.put("settled", settled);
    sample.put("left", team.members.stream().mapToInt(member -> member.left).sum());
    sample.put("threads", threads);
    return sample;
  }

  /**
   * Does passes until the time is over, at least one. A thread that gets a core late measures as long as the
   * others; its time is its own.
   */
  private void pass(Member member) throws Exception {
    Pass pass = member.timed.pass();
    Garbage before = Garbage.now();
    arrived.incrementAndGet();
    while (arrived.get() < threads) Thread.yield();
    long passes = 0;
    long start = System.nanoTime();
    long elapsed;
    do {
      pass.run(member.blackhole);
      ++passes;
      elapsed = System.nanoTime() - start;
    } while (elapsed < sampleNs);
    member.passes = passes;
    member.elapsedNs = elapsed;
    member.allocatedBytes = Garbage.now().allocatedBytes() - before.allocatedBytes();
  }

  private Step<Member> alone(Step<Member> step) {
    return member -> {
      oneAtATime.lock();
      try {
        step.run(member);
      } finally {
        oneAtATime.unlock();
      }
    };
  }

  /** The threads of one cell. */
  private final class Team implements AutoCloseable {
    final List<Member> members = new ArrayList<>();

    Team() {
      for (int n = 0; n < threads; ++n) members.add(new Member(n));
    }

    /** Has every thread do a step at once; throws what one of them throws. */
    void all(Step<Member> step) throws Exception {
      await(members, step);
    }

    /** Has the first thread alone do a step. */
    void first(Step<Member> step) throws Exception {
      await(members.subList(0, 1), step);
    }

    private void await(List<Member> members, Step<Member> step) throws Exception {
      List<Future<?>> begun = new ArrayList<>();
      for (Member member : members) {
        begun.add(member.thread.submit(() -> {
          step.run(member);
          return null;
        }));
      }
      try {
        for (Future<?> each : begun) each.get();
      } catch (ExecutionException error) {
        if (error.getCause() instanceof Error serious) throw serious;
        throw (Exception) error.getCause();
      }
    }

    @Override
    public void close() {
      for (Member member : members) member.thread.shutdown();
    }
  }

  /** A thread with all that it works with, and what it did in the last sample. */
  private final class Member {
    final int number;
    final ExecutorService thread = Executors.newSingleThreadExecutor();
    final Blackhole blackhole = new Blackhole(
        "Today's password is swordfish. I understand instantiating Blackholes directly is dangerous.");
    Timed timed;
    Step<Member> renewing = member -> {};
    Step<Member> writing = member -> {};
    long passes;
    long elapsedNs;
    long allocatedBytes;
    int left;

    Member(int number) {
      this.number = number;
    }

    void renew() throws Exception {
      renewing.run(this);
    }

    void writeDown() throws Exception {
      writing.run(this);
    }

    <R> void prepare(Cell<R> cell, String operation, Memory memory) throws Exception {
      prepare(cell, new Operations<>(cell), operation, memory);
    }

    private <R, N, V> void prepare(
        Cell<R> cell, Operations<R, N, V> operations, String operation, Memory memory) throws Exception {
      long place = arguments.number("place", 0);
      Inputs inputs =
          Inputs.open(
              cell.schema(), arguments.get("dataset"), arguments.get("edits", ""),
              arguments.get("encoded", ""), place);
      operations.load(inputs.messages());
      timed = operations.prepare(operation, memory);
      if (inputs.edits() == null) return;
      Path file = Path.of(arguments.get("left"));
      Watching<R, N, V> watching = new Watching<>(cell, operations, inputs, file, place + number);
      renewing = member -> {
        watching.renew();
        watching.spoil(timed);
      };
      writing = member -> {
        watching.writeDown(operation, memory, timed);
        left = 1;
      };
    }
  }
}
