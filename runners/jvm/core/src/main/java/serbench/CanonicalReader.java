package serbench;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the canonical encoding (docs/canonical-encoding.md) from front to back, with every check that it asks
 * for.
 *
 * <p>Every method throws {@link DecodeException} where the bytes are not canonical.
 */
public final class CanonicalReader {
  /** Steps back to a type that the value is part of, inside each other. */
  static final int MAX_DEPTH = 1000;

  private static final int MAX_EMPTY_ITEMS = 1 << 16;

  private final byte[] buffer;
  private final int end;
  private int at;
  private int depth;

  public CanonicalReader(Bytes bytes) {
    buffer = bytes.array();
    at = bytes.offset();
    end = at + bytes.length();
  }

  /** Throws unless every byte was read. */
  public void finish() {
    if (at != end) throw new DecodeException((end - at) + " bytes are left over");
  }

  public boolean bool() {
    byte flag = i8();
    if ((flag & ~1) != 0) throw new DecodeException("a bool or presence byte is " + (flag & 0xff));
    return flag != 0;
  }

  public byte i8() {
    return buffer[take(1)];
  }

  public short i16() {
    return (short) CanonicalWriter.SHORT.get(buffer, take(2));
  }

  public int i32() {
    return (int) CanonicalWriter.INT.get(buffer, take(4));
  }

  public long i64() {
    return (long) CanonicalWriter.LONG.get(buffer, take(8));
  }

  public short u8() {
    return (short) (i8() & 0xff);
  }

  public int u16() {
    return i16() & 0xffff;
  }

  public long u32() {
    return i32() & 0xffff_ffffL;
  }

  /** The bits of the value. */
  public long u64() {
    return i64();
  }

  public float f32() {
    return Float.intBitsToFloat(i32());
  }

  public double f64() {
    return Double.longBitsToDouble(i64());
  }

  public String string() {
    int length = count();
    int from = take(length);
    String text = new String(buffer, from, length, StandardCharsets.UTF_8);
    // Bytes that are not UTF-8 become the replacement character, so text without one needs no second look.
    if (text.indexOf('\ufffd') >= 0) requireUtf8(from, length);
    return text;
  }

  public byte[] bytes() {
    int length = count();
    int from = take(length);
    return Arrays.copyOfRange(buffer, from, from + length);
  }

  /** Bytes whose number is not written. */
  public byte[] fixedBytes(int length) {
    int from = take(length);
    return Arrays.copyOfRange(buffer, from, from + length);
  }

  /** To be called before a value of a type that it is part of, and {@link #leave} behind it. */
  public void enter() {
    if (depth == MAX_DEPTH) throw new DecodeException("more than " + MAX_DEPTH + " steps of recursion");
    ++depth;
  }

  public void leave() {
    --depth;
  }

  /**
   * The count of items that take at least one byte each, so that a wrong count cannot ask for more memory
   * than the message has bytes.
   */
  public int count() {
    long count = u32();
    if (count > end - at) throw new DecodeException("a count of " + count + " exceeds the bytes left");
    return (int) count;
  }

  /**
   * The count of items that take no bytes: it is all that tells of them, and a wrong one must not take all
   * memory.
   */
  public int countOfEmpty() {
    long count = u32();
    if (count > MAX_EMPTY_ITEMS) {
      throw new DecodeException(
          "a count of " + count + " items without content, expected at most " + MAX_EMPTY_ITEMS);
    }
    return (int) count;
  }

  private int take(int bytes) {
    if (bytes > end - at) {
      throw new DecodeException("truncated: " + bytes + " bytes are needed, " + (end - at) + " are left");
    }
    int taken = at;
    at += bytes;
    return taken;
  }

  private void requireUtf8(int from, int length) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(buffer, from, length));
    } catch (CharacterCodingException error) {
      throw new DecodeException("text is not UTF-8: " + error.getMessage());
    }
  }
}
