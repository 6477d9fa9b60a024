package serbench;

import java.io.ByteArrayOutputStream;

/** A stream into an array that is kept and used again, without the copy that {@code toByteArray} makes. */
public final class KeptOutput extends ByteArrayOutputStream {
  public KeptOutput() {
    super(1024);
  }

  /** The bytes that were written since the last {@code reset}; valid until the next write. */
  public Bytes bytes() {
    return new Bytes(buf, 0, count);
  }
}
