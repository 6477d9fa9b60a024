package serbench;

import java.io.PrintStream;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Prints events: one JSON object a line, flushed at once, so that what was said is not lost when the process
 * dies.
 */
final class Events {
  private final PrintStream out;

  Events(PrintStream out) {
    this.out = out;
  }

  /** Values are strings, numbers, booleans, or collections or maps of these. */
  void say(String event, Map<String, ?> values) {
    StringBuilder line = new StringBuilder("{\"event\":").append(json(event));
    values.forEach((name, value) -> line.append(',').append(json(name)).append(':').append(json(value)));
    out.println(line.append('}'));
    out.flush();
  }

  private static String json(Object value) {
    if (value instanceof Number || value instanceof Boolean) return value.toString();
    if (value instanceof Collection<?> items) {
      return items.stream().map(Events::json).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Map<?, ?> named) {
      return named.entrySet().stream()
          .map(each -> json(each.getKey()) + ":" + json(each.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    StringBuilder text = new StringBuilder("\"");
    for (char c : value.toString().toCharArray()) {
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    return text.append('"').toString();
  }
}
