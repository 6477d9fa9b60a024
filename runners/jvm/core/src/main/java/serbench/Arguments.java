package serbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A command and its options, which each take a value; each command reads those it needs. */
final class Arguments {
  static final String COMMANDS = "describe, measure, calls, encode, decode, relay, probe or check";
  private static final String SEPARATOR = "+";

  final String command;
  private final Map<String, String> values = new HashMap<>();

  private Arguments(List<String> words) {
    if (words.isEmpty()) {
      throw new IllegalArgumentException("no command; expected " + COMMANDS);
    }
    command = words.get(0);
    for (int n = 1; n < words.size(); n += 2) {
      if (!words.get(n).startsWith("--") || n + 1 == words.size()) {
        throw new IllegalArgumentException("expected --NAME VALUE, found " + words.get(n));
      }
      values.put(words.get(n).substring(2), words.get(n + 1));
    }
  }

  /** The commands of a command line, in their order. */
  static List<Arguments> parse(List<String> words) {
    List<Arguments> commands = new ArrayList<>();
    List<String> left = words;
    for (int end = left.indexOf(SEPARATOR); end >= 0; end = left.indexOf(SEPARATOR)) {
      commands.add(new Arguments(left.subList(0, end)));
      left = left.subList(end + 1, left.size());
    }
    commands.add(new Arguments(left));
    return commands;
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
      throw new IllegalArgumentException(
          "--" + name + ": found '" + value + "', expected a whole number", error);
    }
  }
}
