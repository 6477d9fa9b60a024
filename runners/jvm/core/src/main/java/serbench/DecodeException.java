package serbench;

/** Bytes that are not what they should be. */
public final class DecodeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public DecodeException(String message) {
    super(message);
  }
}
