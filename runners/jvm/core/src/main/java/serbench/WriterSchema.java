package serbench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The schema by which messages were written, which a process may be given in front of its commands. */
public final class WriterSchema {
  private static final String OPTION = "--writer-schema";

  private static String file = "";
  private static String text;

  private WriterSchema() {}

  /** Its text, where it is another one than the program's own; null where it is that. */
  public static String text() {
    return text;
  }

  /** Its file, for a fork of this process to read; empty where the writer has the program's own schema. */
  static String file() {
    return file;
  }

  /** Reads the file that the option in front of the words names, if it is there; returns the words behind. */
  static List<String> taken(List<String> words) throws IOException {
    if (words.size() < 2 || !words.get(0).equals(OPTION)) return words;
    read(words.get(1));
    return words.subList(2, words.size());
  }

  /** Reads the schema from a file; does nothing where the name is empty. */
  static void read(String name) throws IOException {
    file = name;
    if (!name.isEmpty()) text = Files.readString(Path.of(name));
  }
}
