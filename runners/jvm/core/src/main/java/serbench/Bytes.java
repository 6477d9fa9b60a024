package serbench;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * A view of the bytes of one message: {@code length} bytes of {@code array} from {@code offset} on. Nothing
 * is copied.
 */
public record Bytes(byte[] array, int offset, int length) {
  public Bytes {
    Objects.checkFromIndexSize(offset, length, array.length);
  }

  /** All of an array. */
  public static Bytes of(byte[] array) {
    return new Bytes(array, 0, array.length);
  }

  /** A copy of the bytes that are left in a buffer, which stays as it is. */
  public static byte[] left(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return bytes;
  }

  /** The bytes in an array of their own; the array itself where it holds nothing else. */
  public byte[] toArray() {
    return length == array.length ? array : Arrays.copyOfRange(array, offset, offset + length);
  }

  /** The same bytes in an array of their own. */
  public Bytes copy() {
    return of(Arrays.copyOfRange(array, offset, offset + length));
  }

  /** Whether the bytes are the same, wherever they are. */
  public boolean sameAs(Bytes other) {
    return Arrays.equals(
        array, offset, offset + length, other.array, other.offset, other.offset + other.length);
  }
}
