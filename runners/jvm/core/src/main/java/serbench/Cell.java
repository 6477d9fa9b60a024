package serbench;

/**
 * One codec variant × workload; generated, since only there library and domain types meet.
 *
 * @param <R> the workload's root type
 */
public interface Cell<R> {
  /** Such as {@code jvm/jsoniter}. */
  String codec();

  /** Such as {@code monsters}. */
  String workload();

  /** SHA-256 of the schema, in hexadecimal. */
  String schema();

  Domain<R> domain();

  /** The one adapter of the cell, with what a program has once. */
  Adapter<?, ?> adapter();

  /** The same cell with an adapter of its own, and all that a program has once. */
  default Cell<?> another() {
    return Cells.load(getClass().getName());
  }
}
