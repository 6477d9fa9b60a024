package serbench;

import java.util.List;

/** A value of a generated enum, by which adapters map enums of any workload. */
public interface EnumValue {
  /** The name in the schema. */
  String name();

  /** The number of the underlying type; u64 as the bits of a long. */
  long number();

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

  /** What the companion object of a generated enum is: its values in the order of their declaration. */
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
      for (E value : all()) {
        if (value.name().equals(name)) return value;
      }
      throw new DecodeException("an enum has the name '" + name + "'; expected one of " + all());
    }
  }
}
