package serbench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Edits: bytes that values may become while a process measures, as docs/protocol.md lays them out. */
final class Edits {
  private static final byte[] MAGIC = "SERBEDIT".getBytes(StandardCharsets.US_ASCII);
  private static final int MOST_IN_FORCE = 3; // edits of one message

  /**
   * Bytes in place of as many of a message's canonical ones from {@code offset} on, and the number that they
   * have in their file.
   */
  private record Edit(int number, int offset, byte[] bytes) {}

  private final Map<Integer, List<Edit>> byMessage = new TreeMap<>();
  private int count = 0;
  private List<Bytes> bodies; // for each edit, as "give" tells; null where this program encodes by itself
  private boolean sparesOdd; // which edits of a message "give" spares

  private Edits() {}

  /**
   * Reads a file of edits.
   *
   * @throws IOException it is none, or has an edit that is not within its message
   */
  static Edits open(Path path, List<Bytes> messages) throws IOException {
    byte[] data = Files.readAllBytes(path);
    ByteBuffer buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    boolean known = data.length >= 16 && Arrays.equals(data, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    if (!known || buffer.getInt(MAGIC.length) != 1) {
      throw new IOException(path + " is no file of edits of version 1");
    }
    Edits edits = new Edits();
    buffer.position(12);
    edits.count = buffer.getInt();
    for (int number = 0; number < edits.count; ++number) {
      int message = buffer.getInt();
      int offset = buffer.getInt();
      byte[] bytes = new byte[buffer.getInt()];
      buffer.get(bytes);
      if (message < 0 || message >= messages.size() || offset < 0
          || offset + bytes.length > messages.get(message).length()) {
        throw new IOException(path + " has an edit of message " + message + " that is not within it");
      }
      Edit edit = new Edit(number, offset, bytes);
      edits.byMessage.computeIfAbsent(message, none -> new ArrayList<>()).add(edit);
    }
    return edits;
  }

  int count() {
    return count;
  }

  /**
   * Takes what another program has encoded: for each edit, its message with this edit alone in force. Every
   * second edit of a message is never drawn then, the even or the odd ones as {@code place} is: a process
   * draws those that another one spares.
   */
  void give(List<Bytes> bodies, long place) {
    this.bodies = bodies;
    sparesOdd = place % 2 != 0;
  }

  /** The messages with each edit that is never drawn. */
  List<Message> spared(List<Message> messages) {
    List<Message> spared = new ArrayList<>();
    for (int message : byMessage.keySet()) {
      for (int n : spared(message, true)) spared.add(applied(message, messages.get(message), List.of(n)));
    }
    return spared;
  }

  /** The edits of a message that are spared, or those that are drawn. */
  private List<Integer> spared(int message, boolean spared) {
    List<Integer> all = all(message);
    if (bodies == null || all.size() < 2) return spared ? List.of() : all;
    return all.stream().filter(n -> (n % 2 != 0 == sparesOdd) == spared).toList();
  }

  boolean of(int message) {
    return byMessage.containsKey(message);
  }

  /** Draws a message that has edits. */
  int drawMessage(Random draws) {
    return new ArrayList<>(byMessage.keySet()).get(draws.nextInt(byMessage.size()));
  }

  /** Draws some edits of a message: where they are among its own, in order. */
  List<Integer> draw(int message, Random draws) {
    List<Integer> all = new ArrayList<>(spared(message, false));
    Collections.shuffle(all, draws);
    int most = bodies == null ? MOST_IN_FORCE : 1;
    return all.subList(0, Math.min(all.size(), 1 + draws.nextInt(most))).stream().sorted().toList();
  }

  /** All edits of a message. */
  List<Integer> all(int message) {
    return IntStream.range(0, byMessage.get(message).size()).boxed().toList();
  }

  /** The numbers that these edits of a message have in their file. */
  List<Integer> numbers(int message, List<Integer> edits) {
    return edits.stream().map(n -> byMessage.get(message).get(n).number).toList();
  }

  /** A message with these edits of it in force. */
  Message applied(int message, Message before, List<Integer> edits) {
    if (edits.isEmpty()) return before;
    byte[] whole = before.canonical().copy().array();
    for (int n : edits) {
      Edit edit = byMessage.get(message).get(n);
      System.arraycopy(edit.bytes, 0, whole, edit.offset, edit.bytes.length);
    }
    Bytes body = bodies == null ? null : bodies.get(byMessage.get(message).get(edits.get(0)).number);
    return new Message(Bytes.of(whole), body);
  }
}
