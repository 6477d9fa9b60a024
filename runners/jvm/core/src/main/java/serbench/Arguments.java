package serbench;

import java.util.HashMap;
import java.util.Map;

/** The command line: the cell's class, a command, and options that each take a value; each command reads those it needs. */
final class Arguments {
  final String cell;
  final String command;
  private final Map<String, String> values = new HashMap<>();

  Arguments(String[] words) {
    if (words.length < 1) throw new IllegalArgumentException("no cell; expected the class of a cell before the command");
    cell = words[0];
    if (words.length < 2) {
      throw new IllegalArgumentException("no command; expected describe, measure, encode, decode or check");
    }
    command = words[1];
    for (int n = 2; n < words.length; n += 2) {
      if (!words[n].startsWith("--") || n + 1 == words.length) {
        throw new IllegalArgumentException("expected --NAME VALUE, found " + words[n]);
      }
      values.put(words[n].substring(2), words[n + 1]);
    }
  }

  String get(String name) {
    String value = values.get(name);
    if (value == null) throw new IllegalArgumentException(command + " needs --" + name);
    return value;
  }

  String get(String name, String fallback) {
    return values.getOrDefault(name, fallback);
  }

  long number(String name, long fallback) {
    String value = values.get(name);
    if (value == null) return fallback;
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException error) {
      throw new IllegalArgumentException("--" + name + ": found '" + value + "', expected a whole number", error);
    }
  }
}
