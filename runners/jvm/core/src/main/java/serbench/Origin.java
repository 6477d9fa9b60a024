package serbench;

import java.util.regex.Pattern;

/** Tells whose code threw an error, by the stack of calls in which it was made. */
final class Origin {
  /** Classes of the runner, adapters, generated conversions and domain types; not what compilers generate. */
  private static final Pattern OURS =
      Pattern.compile("serbench\\.([A-Z]|(canonical|cells|codec|domain|glue)\\.).*");

  private static final Pattern PLATFORM = Pattern.compile("(java|javax|jdk|sun|scala)\\..*");

  /** Serialization that is a part of the platform, which is a library here. */
  private static final String SERIALIZATION = "java.io.Object";

  private Origin() {}

  /**
   * Whose code threw an error: {@code library} or {@code adapter}; empty where that is not known. The
   * innermost class decides that is no part of the platform; where there is no stack, the error's own class.
   */
  static String of(Throwable error) {
    StackTraceElement[] stack = error.getStackTrace();
    if (stack.length == 0) return of(error.getClass().getName());
    for (StackTraceElement each : stack) {
      String by = of(each.getClassName());
      if (!by.isEmpty()) return by;
    }
    return "";
  }

  private static String of(String name) {
    if (OURS.matcher(name).matches()) return "adapter";
    return PLATFORM.matcher(name).matches() && !name.startsWith(SERIALIZATION) ? "" : "library";
  }
}
