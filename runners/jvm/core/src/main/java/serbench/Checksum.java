package serbench;

import java.nio.ByteBuffer;

/**
 * The sum that {@code traverse} computes from every field, by which an optimiser has to read them all.
 *
 * <p>Numbers count as their value (floats: their bits; unsigned ones: the value they stand for), strings as
 * their length and the sum of their UTF-16 units, bytes as their length and the sum of their bytes, lists and
 * maps as their count and their items, arrays as their items, optionals as their presence and their value,
 * unions as the index of the alternative and its value. Sums do not depend on the order, so an unordered map
 * has the same sum. The sum of the native object must equal that of the domain object; {@code check} holds it
 * to that. Strings are not summed by their UTF-8 bytes, as in C++, since strings here have none.
 */
public final class Checksum {
  private Checksum() {}

  public static long of(boolean value) {
    return value ? 1 : 0;
  }

  public static long of(float value) {
    return Float.floatToRawIntBits(value) & 0xffff_ffffL;
  }

  public static long of(double value) {
    return Double.doubleToRawLongBits(value);
  }

  public static long of(String text) {
    long sum = text.length();
    for (int n = 0; n < text.length(); ++n) sum += text.charAt(n);
    return sum;
  }

  public static long of(byte[] bytes) {
    long sum = bytes.length;
    for (byte each : bytes) sum += each & 0xff;
    return sum;
  }

  /** The bytes that are left in a buffer, which stays as it is. */
  public static long of(ByteBuffer bytes) {
    long sum = bytes.remaining();
    for (int n = bytes.position(); n < bytes.limit(); ++n) sum += bytes.get(n) & 0xff;
    return sum;
  }
}
