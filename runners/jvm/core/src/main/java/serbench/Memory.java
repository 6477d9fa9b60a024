package serbench;

/** Whether adapter, native and decoded object are used again for the next message or made anew for each. */
enum Memory {
  REUSE,
  FRESH;

  static Memory parse(String text) {
    return switch (text) {
      case "reuse" -> REUSE;
      case "fresh" -> FRESH;
      default ->
        throw new IllegalArgumentException("found memory policy '" + text + "', expected reuse or fresh");
    };
  }
}
