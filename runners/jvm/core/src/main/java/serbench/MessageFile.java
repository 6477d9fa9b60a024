package serbench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Dataset files and files of messages, as docs/protocol.md lays them out. */
final class MessageFile {
  private static final byte[] MAGIC = "SERBENCH".getBytes(StandardCharsets.US_ASCII);
  private static final int FIXED_BYTES = 96; // the header before the JSON
  private static final int SCHEMA_AT = 64;

  private final List<Bytes> messages = new ArrayList<>();

  private MessageFile() {}

  List<Bytes> messages() {
    return messages;
  }

  /**
   * Reads a dataset.
   *
   * @throws IOException it is no dataset, of another version or schema, or not whole
   */
  static MessageFile openDataset(Path path, String schema) throws IOException {
    byte[] data = read(path);
    if (data.length < FIXED_BYTES) throw new IOException(path + " is too short for a dataset");
    if (!Arrays.equals(data, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new IOException(path + " is no dataset");
    }
    ByteBuffer header = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).position(MAGIC.length);
    int version = header.getInt();
    if (version != 1) {
      throw new IOException(path + " has version " + version + "; this runner reads version 1");
    }
    long body = FIXED_BYTES + Integer.toUnsignedLong(header.getInt());
    long count = header.getLong();
    long bodyBytes = header.getLong();
    String found = HexFormat.of().formatHex(data, SCHEMA_AT, FIXED_BYTES);
    if (!found.equals(schema)) {
      throw new IOException(path + " has the schema " + found + "; this runner was built for " + schema);
    }
    if (data.length != body + bodyBytes) {
      throw new IOException(
          path + " has " + data.length + " bytes; its header promises " + (body + bodyBytes));
    }
    MessageFile file = new MessageFile();
    file.split(data, (int) body);
    if (file.messages.size() != count) {
      throw new IOException(path + " does not hold as many messages as it promises");
    }
    return file;
  }

  /** Reads a file that {@code encode} or {@code decode} wrote: messages without a header. */
  static MessageFile openMessages(Path path) throws IOException {
    MessageFile file = new MessageFile();
    file.split(read(path), 0);
    return file;
  }

  private static byte[] read(Path path) throws IOException {
    try {
      return Files.readAllBytes(path);
    } catch (IOException error) {
      throw new IOException(path + " cannot be read: " + error, error);
    }
  }

  private void split(byte[] data, int from) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).position(from);
    while (buffer.hasRemaining()) {
      if (buffer.remaining() < Integer.BYTES) throw new IOException("a message's length is cut off");
      long length = Integer.toUnsignedLong(buffer.getInt());
      if (buffer.remaining() < length) throw new IOException("a message is cut off");
      messages.add(new Bytes(data, buffer.position(), (int) length));
      buffer.position(buffer.position() + (int) length);
    }
  }
}
