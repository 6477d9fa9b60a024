package serbench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages, and the edits by which their values change.
 *
 * @param edits null where values stay as they are
 */
record Inputs(List<Message> messages, Edits edits) {
  /**
   * Reads the files of the options {@code dataset}, {@code edits} and {@code encoded}; the latter two are
   * empty where they are not given. {@code place} is as the protocol tells.
   *
   * @throws IOException a file is not as docs/protocol.md lays it out, or does not go with the others
   */
  static Inputs open(String schema, String dataset, String edits, String encoded, long place)
      throws IOException {
    List<Bytes> canonical = MessageFile.openDataset(Path.of(dataset), schema).messages();
    Edits read = edits.isEmpty() ? null : Edits.open(Path.of(edits), canonical);
    List<Message> messages = new ArrayList<>();
    if (encoded.isEmpty()) {
      for (Bytes each : canonical) messages.add(new Message(each, null));
      return new Inputs(messages, read);
    }
    List<Bytes> bodies = MessageFile.openMessages(Path.of(encoded)).messages();
    int edited = read == null ? 0 : read.count();
    if (bodies.size() != canonical.size() + edited) {
      throw new IOException(
          encoded + " has " + bodies.size() + " bodies; expected one for each of " + canonical.size()
              + " messages and " + edited + " edits");
    }
    for (int n = 0; n < canonical.size(); ++n) messages.add(new Message(canonical.get(n), bodies.get(n)));
    if (read != null) read.give(bodies.subList(canonical.size(), bodies.size()), place);
    return new Inputs(messages, read);
  }

  /** Whether another program has encoded the messages. */
  boolean isEncoded() {
    return !messages.isEmpty() && messages.get(0).body() != null;
  }
}
