package serbench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.BenchmarkException;
import org.openjdk.jmh.runner.RunnerException;

/**
 * The measuring program. docs/protocol.md describes what it takes and says; before the command comes the
 * cell's class.
 */
public final class Main {
  private static final int PROTOCOL = 1;

  private final Events events;

  private Main(Events events) {
    this.events = events;
  }

  public static void main(String[] words) {
    Events events = new Events(System.out);
    System.setOut(System.err); // text that a library prints is no event
    // The program that starts runners sees to it that they do not disturb each other.
    System.setProperty("jmh.ignoreLock", "true");
    try {
      if (words.length < 1) {
        throw new IllegalArgumentException("no cell; expected the class of a cell before the command");
      }
      List<String> given = WriterSchema.taken(Arrays.asList(words).subList(1, words.length));
      List<Arguments> commands = Arguments.parse(given);
      if (commands.get(0).number("limit-ms", 0) > 0 && Bounded.isNeeded()) System.exit(Bounded.run(words));
      if (commands.get(0).command.equals(Together.COMMAND)) {
        new Together(commands.get(0)).run(Cells.load(words[0]), events);
        System.exit(0);
      }
      long begin = System.nanoTime();
      new Main(events).run(Cells.load(words[0]), commands, words);
      events.say("done", Map.of("elapsed_ns", System.nanoTime() - begin));
    } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError error) {
      error.printStackTrace();
      Map<String, String> said = new LinkedHashMap<>();
      Throwable root = rootOf(error);
      said.put("message", messageOf(root));
      said.put("kind", root.getClass().getName());
      said.put("by", Origin.of(root));
      if (root instanceof Suspicion suspicion) said.put("suspected", suspicion.cell);
      events.say("error", said);
      System.exit(1);
    }
    System.exit(0); // whatever threads a library has left behind
  }

  private <R> void run(Cell<R> cell, List<Arguments> commands, String[] words) throws Exception {
    Verification<R, ?, ?> verification = new Verification<>(cell);
    describe(cell, verification.relays());
    if (commands.get(0).number("threads", 0) > 0) {
      int status = Together.fork(words);
      if (status != 0) System.exit(status); // it has said why
      return;
    }
    for (Arguments each : commands) dispatch(cell, verification, each);
  }

  private <R> void dispatch(Cell<R> cell, Verification<R, ?, ?> verification, Arguments arguments)
      throws Exception {
    switch (arguments.command) {
      case "describe" -> {}
      case "measure" -> measure(arguments, cell);
      case "calls" -> events.say("called", new SingleCalls(arguments).run(cell));
      case "encode", "decode", "relay", "check" -> verify(arguments, verification);
      case "probe" -> probe(arguments, cell);
      default ->
          throw new IllegalArgumentException(
              "found command '"
                  + arguments.command
                  + "', expected " + Arguments.COMMANDS);
    }
  }

  private void describe(Cell<?> cell, boolean relays) {
    Map<String, Object> hello = new LinkedHashMap<>();
    hello.put("protocol", PROTOCOL);
    hello.put("codec", cell.codec());
    hello.put("workload", cell.workload());
    hello.put("schema", cell.schema());
    hello.put("compiler", System.getProperty("java.vm.name") + " " + Runtime.version());
    hello.put("jvm", jvm());
    hello.put("edits", true);
    hello.put("floor", new Operations<>(cell).isFloor());
    hello.put("relays", relays);
    hello.put("operations", new Operations<>(cell).offered());
    events.say("hello", hello);
  }

  /** The JVM that cells are measured with, in words. */
  private static List<String> jvm() {
    List<String> words = new ArrayList<>();
    String machine = System.getProperty("java.vendor") + " " + System.getProperty("java.vm.name");
    words.add(machine + " " + Runtime.version());
    words.addAll(Measurement.FORK_FLAGS);
    return words;
  }

  /** The forks read the files themselves; here it is only made sure that these are as they have to be. */
  private void measure(Arguments arguments, Cell<?> cell) throws Exception {
    Inputs.open(
        cell.schema(), arguments.get("dataset"), arguments.get("edits", ""), arguments.get("encoded", ""),
        arguments.number("place", 0));
    new Measurement(cell.getClass().getName(), arguments, new Operations<>(cell).offered(), events).run();
  }

  /**
   * Says of each message what became of it; one that needs too much memory or stack is refused, too, with
   * the harm it did.
   */
  private <R> void probe(Arguments arguments, Cell<R> cell) throws Exception {
    Verification<R, ?, ?> verification = new Verification<>(cell);
    int number = 0;
    for (Bytes message : MessageFile.openMessages(Path.of(arguments.get("encoded"))).messages()) {
      Verification.Probed probed = verification.probe(message);
      Map<String, Object> said = new LinkedHashMap<>();
      said.put("message", number++);
      said.put("accepted", probed.accepted());
      said.put("reason", probed.reason().substring(0, Math.min(probed.reason().length(), 200)));
      if (probed.harm() != null) said.put("harm", probed.harm());
      said.put("by", probed.by());
      events.say("probed", said);
    }
  }

  private void verify(Arguments arguments, Verification<?, ?, ?> verification) throws Exception {
    Memory memory = Memory.parse(arguments.get("memory", "reuse"));
    if (arguments.command.equals("decode")) {
      MessageFile encoded = MessageFile.openMessages(Path.of(arguments.get("encoded")));
      verification.decode(
          encoded, arguments.get("operation", "decode"), memory, Path.of(arguments.get("out")));
      events.say("decoded", Map.of("messages", encoded.messages().size()));
      return;
    }
    if (arguments.command.equals("relay")) {
      MessageFile encoded = MessageFile.openMessages(Path.of(arguments.get("encoded")));
      long bytes = verification.relay(encoded, memory, Path.of(arguments.get("out")));
      events.say("relayed", Map.of("messages", encoded.messages().size(), "bytes", bytes));
      return;
    }
    Inputs inputs =
        verification.load(
            arguments.get("dataset"), arguments.get("edits", ""), arguments.get("encoded", ""),
            arguments.number("place", 0));
    int messages = inputs.messages().size();
    if (arguments.command.equals("encode")) {
      long bytes = verification.encode(memory, Path.of(arguments.get("out")));
      events.say("encoded", Map.of("messages", messages, "bytes", bytes));
    } else {
      verification.check();
      if (inputs.edits() != null) {
        verification.checkWatched(Path.of(arguments.get("left")), arguments.number("place", 0));
      }
      events.say("checked", Map.of("messages", messages));
    }
  }

  /** The first error, and not one that wraps it, as JMH wraps that of a fork more than once. */
  private static Throwable rootOf(Throwable error) {
    Throwable root = error;
    while (root instanceof RunnerException || root instanceof BenchmarkException) {
      boolean isSuppressed = root.getCause() == null && root.getSuppressed().length > 0;
      Throwable next = isSuppressed ? root.getSuppressed()[0] : root.getCause();
      if (next == null) break;
      root = next;
    }
    return root;
  }

  /** The words of an error that a reader needs. */
  private static String messageOf(Throwable root) {
    // The names of these say nothing that their messages do not.
    boolean plain = root instanceof IOException || root instanceof IllegalArgumentException
        || root instanceof IllegalStateException || root instanceof DecodeException;
    return plain && root.getMessage() != null ? root.getMessage() : root.toString();
  }
}
