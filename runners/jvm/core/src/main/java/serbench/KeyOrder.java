package serbench;

import java.util.Comparator;

/** The order of map keys in the canonical encoding. */
public final class KeyOrder {
  private KeyOrder() {}

  /** The order of texts by UTF-8 bytes, which is that by code point. */
  public static final Comparator<String> TEXT = KeyOrder::compareText;

  public static int compareText(String left, String right) {
    int shorter = Math.min(left.length(), right.length());
    for (int n = 0; n < shorter; ++n) {
      char a = left.charAt(n);
      char b = right.charAt(n);
      if (a != b) {
        // Surrogates stand for code points above all other units.
        boolean bothOrNone = Character.isSurrogate(a) == Character.isSurrogate(b);
        return bothOrNone ? Character.compare(a, b) : Character.isSurrogate(a) ? 1 : -1;
      }
    }
    return Integer.compare(left.length(), right.length());
  }
}
