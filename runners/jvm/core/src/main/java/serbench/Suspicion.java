package serbench;

/**
 * A suspicion, told by times, that a cell returns remembered results. It is no proof: serbench accuses nobody
 * before several processes suspect the same cell.
 */
final class Suspicion extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /** The operation and its memory policy. */
  final String cell;

  Suspicion(String cell, String message) {
    super(message);
    this.cell = cell;
  }
}
