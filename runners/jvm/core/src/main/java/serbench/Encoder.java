package serbench;

/**
 * A program's means to encode messages. Its fields are what is kept between messages: buffers, writers,
 * builders. Where the library encodes objects of its own, it also {@link Builds} them.
 *
 * @param <N> the native object, which encode takes: the domain object, or the library's own
 */
public interface Encoder<N> {
  /**
   * Serializes an object. The bytes may be the encoder's and are valid until its next call, so no library
   * pays for a copy that its users would not make.
   */
  Bytes encode(N object) throws Exception;

  /** An encoder whose native object is not the domain object. */
  interface Builds<R, N> {
    /**
     * The native object of a domain object.
     *
     * @param used what was built before, which may be overwritten whole and returned; null where there is
     *     none
     */
    N build(R root, N used) throws Exception;
  }
}
