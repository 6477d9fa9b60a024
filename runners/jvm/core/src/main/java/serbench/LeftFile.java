package serbench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The file of what passes left, which serbench judges (docs/protocol.md, "What passes leave"). */
final class LeftFile {
  /** The kinds of records. */
  enum Kind {
    CANONICAL, // bytes of a domain object
    ENCODED,
    SUM
  }

  /**
   * A record of what an operation left of a message while some edits were in force.
   *
   * @param cell OPERATION:MEMORY
   * @param walks whether a sum is that of a walk
   * @param edits their numbers
   */
  record Entry(String cell, Kind kind, boolean walks, int message, List<Integer> edits, Bytes rest) {}

  private static final int OTHERS = 15; // bytes besides the cell, the edits and the rest

  private final FileChannel file;

  LeftFile(Path path) throws IOException {
    try {
      file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException error) {
      throw new IOException(path + " cannot be written: " + error, error);
    }
  }

  /** Appends an entry, at once, so that it is there when the process dies. */
  void add(Entry entry) throws IOException {
    byte[] cell = entry.cell.getBytes(StandardCharsets.UTF_8);
    int size = OTHERS + cell.length + Integer.BYTES * entry.edits.size() + entry.rest.length();
    ByteBuffer record = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    record.putInt(size - Integer.BYTES);
    record.put((byte) cell.length).put(cell);
    record.put((byte) entry.kind.ordinal()).put((byte) (entry.walks ? 1 : 0));
    record.putInt(entry.message).putInt(entry.edits.size());
    entry.edits.forEach(record::putInt);
    record.put(entry.rest.array(), entry.rest.offset(), entry.rest.length());
    record.flip();
    while (record.hasRemaining()) file.write(record);
  }
}
