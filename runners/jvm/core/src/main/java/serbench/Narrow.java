package serbench;

/** For formats that have fewer widths than the type model: values as the domain has them, where they fit. */
public final class Narrow {
  private Narrow() {}

  public static byte i8(long value) {
    return (byte) within(value, Byte.MIN_VALUE, Byte.MAX_VALUE, "i8");
  }

  public static short i16(long value) {
    return (short) within(value, Short.MIN_VALUE, Short.MAX_VALUE, "i16");
  }

  public static short u8(long value) {
    return (short) within(value, 0, 0xff, "u8");
  }

  public static int u16(long value) {
    return (int) within(value, 0, 0xffff, "u16");
  }

  public static long u32(long value) {
    return within(value, 0, 0xffff_ffffL, "u32");
  }

  /** The count of an array's items. */
  public static int count(int found, int expected) {
    if (found != expected) {
      throw new DecodeException("an array has " + found + " items, expected " + expected);
    }
    return found;
  }

  /** Bytes of a fixed number. */
  public static byte[] bytes(byte[] found, int expected) {
    if (found.length != expected) {
      throw new DecodeException("there are " + found.length + " bytes, expected " + expected);
    }
    return found;
  }

  private static long within(long value, long low, long high, String type) {
    if (value < low || value > high) throw new DecodeException(value + " is no " + type);
    return value;
  }
}
