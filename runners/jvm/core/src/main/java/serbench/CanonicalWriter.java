package serbench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the canonical encoding (docs/canonical-encoding.md) into a buffer that grows and is used again. */
public final class CanonicalWriter {
  static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] buffer = new byte[256];
  private int size = 0;
  private int depth = 0;

  public void clear() {
    size = 0;
    depth = 0; // a value that was too deep may have been left inside
  }

  /** The bytes that were written since the last clear; valid until something else is written. */
  public Bytes bytes() {
    return new Bytes(buffer, 0, size);
  }

  public void bool(boolean value) {
    i8((byte) (value ? 1 : 0));
  }

  public void i8(byte value) {
    reserve(1);
    buffer[size++] = value;
  }

  public void i16(short value) {
    reserve(2);
    SHORT.set(buffer, size, value);
    size += 2;
  }

  public void i32(int value) {
    reserve(4);
    INT.set(buffer, size, value);
    size += 4;
  }

  public void i64(long value) {
    reserve(8);
    LONG.set(buffer, size, value);
    size += 8;
  }

  public void u8(short value) {
    requireWithin(value, 0xff, "u8");
    i8((byte) value);
  }

  public void u16(int value) {
    requireWithin(value, 0xffff, "u16");
    i16((short) value);
  }

  public void u32(long value) {
    requireWithin(value, 0xffff_ffffL, "u32");
    i32((int) value);
  }

  /** The value is the bits of a long. */
  public void u64(long value) {
    i64(value);
  }

  public void f32(float value) {
    i32(Float.floatToRawIntBits(value));
  }

  public void f64(double value) {
    i64(Double.doubleToRawLongBits(value));
  }

  public void string(String value) {
    bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  public void bytes(byte[] value) {
    i32(value.length);
    reserve(value.length);
    System.arraycopy(value, 0, buffer, size, value.length);
    size += value.length;
  }

  /** Bytes whose number is known and not written. */
  public void fixedBytes(byte[] value, int length) {
    if (value.length != length) {
      throw new IllegalArgumentException("found " + value.length + " bytes, expected " + length);
    }
    reserve(length);
    System.arraycopy(value, 0, buffer, size, length);
    size += length;
  }

  /** To be called before a value of a type that it is part of, and {@link #leave} behind it. */
  public void enter() {
    if (depth == CanonicalReader.MAX_DEPTH) {
      throw new IllegalArgumentException("more than " + CanonicalReader.MAX_DEPTH + " steps of recursion");
    }
    ++depth;
  }

  public void leave() {
    --depth;
  }

  /** The number of items or pairs that follow. */
  public void count(int value) {
    i32(value);
  }

  private void reserve(int bytes) {
    if (bytes > buffer.length - size) grow(bytes);
  }

  private void grow(int bytes) {
    long wanted = Math.max(2L * buffer.length, (long) size + bytes);
    if ((long) size + bytes > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException("a message is longer than an array can be");
    }
    buffer = Arrays.copyOf(buffer, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
  }

  private static void requireWithin(long value, long greatest, String type) {
    if (value < 0 || value > greatest) {
      throw new IllegalArgumentException("found " + value + " in a " + type + ", expected 0 to " + greatest);
    }
  }
}
