package serbench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes messages, each behind its length as four little-endian bytes. */
final class MessageWriter implements AutoCloseable {
  private final OutputStream out;

  MessageWriter(Path path) throws IOException {
    try {
      out = new BufferedOutputStream(Files.newOutputStream(path), 1 << 16);
    } catch (IOException error) {
      throw new IOException(path + " cannot be written: " + error, error);
    }
  }

  void write(Bytes message) throws IOException {
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) out.write(message.length() >>> shift);
    out.write(message.array(), message.offset(), message.length());
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
