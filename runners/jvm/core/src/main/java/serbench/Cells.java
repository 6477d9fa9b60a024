package serbench;

/** Finds cells by the names of their classes. */
final class Cells {
  private Cells() {}

  /**
   * Makes a cell.
   *
   * @throws IllegalArgumentException there is no such class, or it is no cell
   */
  static Cell<?> load(String name) {
    try {
      return (Cell<?>) Class.forName(name).getDeclaredConstructor().newInstance();
    } catch (ClassNotFoundException | NoSuchMethodException | ClassCastException error) {
      throw new IllegalArgumentException(
          "found '" + name + "', expected the class of a generated cell: " + error, error);
    } catch (ReflectiveOperationException error) {
      Throwable cause = error.getCause() == null ? error : error.getCause();
      throw new IllegalArgumentException("cell " + name + " could not be made: " + cause, cause);
    }
  }
}
