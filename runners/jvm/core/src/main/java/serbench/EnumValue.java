package serbench;

import java.math.BigInteger;
import java.util.List;

/** A value of a generated enum, by which adapters map enums of any workload. */
public interface EnumValue {
  /** The name that formats with names carry; of a number that has none, its decimal digits. */
  String name();

  /** The number of the underlying type; u64 as the bits of a long. */
  long number();

  /** Whether the number is a u64, whose bits the long is. */
  default boolean isUnsigned() {
    return false;
  }

  /**
   * Whether the number has a name. In an open enum it need not have one, and formats with names write the
   * number then.
   */
  default boolean isRecognized() {
    return !(this instanceof Unrecognized);
  }

  /** A value whose number has no name. */
  interface Unrecognized {}

  /** The companion object of a generated enum, for libraries that know types only as classes. */
  @SuppressWarnings("unchecked") // every generated enum has a companion for itself
  static <E extends EnumValue> Companion<E> companionOf(Class<E> type) {
    try {
      Class<?> companion = Class.forName(type.getName() + "$", true, type.getClassLoader());
      return (Companion<E>) companion.getField("MODULE$").get(null);
    } catch (ReflectiveOperationException error) {
      throw new IllegalArgumentException(type.getName() + " is no generated enum", error);
    }
  }

  /** The companion object of a generated enum, with its values in the order of their declaration. */
  interface Companion<E extends EnumValue> {
    List<E> all();

    /**
     * The value with this number.
     *
     * @throws DecodeException there is none
     */
    E of(long number);

    /**
     * The value with this name.
     *
     * @throws DecodeException there is none
     */
    default E of(String name) {
      E found = named(name);
      if (found != null) return found;
      throw new DecodeException("an enum has the name '" + name + "'; expected one of " + all());
    }

    /**
     * The value that a key stands for: its name, or the decimal digits of a number that has none.
     *
     * @throws DecodeException there is none
     */
    default E ofKey(String key) {
      E found = named(key);
      if (found == null && key.matches("-?[0-9]{1,20}")) {
        E other = of(new BigInteger(key).longValue());
        if (!other.isRecognized() && other.name().equals(key)) return other;
      }
      return found != null ? found : of(key);
    }

    private E named(String name) {
      for (E value : all()) {
        if (value.name().equals(name)) return value;
      }
      return null;
    }
  }
}
