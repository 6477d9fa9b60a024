package serbench.codec;

import org.apache.thrift.TBase;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolFactory;
import org.apache.thrift.transport.AutoExpandingBufferWriteTransport;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TTransportException;
import serbench.Adapter;
import serbench.Bytes;
import serbench.DecodeException;
import serbench.Decoder;
import serbench.Encoder;
import serbench.MessageDecoder;
import serbench.MessageEncoder;

/**
 * Thrift's generated classes, to and from memory: what {@code TSerializer} and {@code TDeserializer} do,
 * without the copy of the bytes, with no limit for the size of a message and a higher one for the depth.
 */
abstract class ThriftAdapter<R> implements Adapter<TBase<?, ?>, TBase<?, ?>> {
  private static final TConfiguration CONFIGURATION =
      TConfiguration.custom().setMaxMessageSize(Integer.MAX_VALUE).setRecursionLimit(10_000).build();

  private final ThriftGlue<R> glue;
  private final TProtocolFactory protocols;

  ThriftAdapter(ThriftGlue<R> glue, TProtocolFactory protocols) {
    this.glue = glue;
    this.protocols = protocols;
  }

  @Override
  public Encoder<TBase<?, ?>> encoder() {
    return new Writing<>(glue, protocols);
  }

  @Override
  public Decoder<TBase<?, ?>> decoder() {
    return new Reading<>(glue, protocols);
  }

  private static final class Writing<R> extends MessageEncoder<R, TBase<?, ?>> {
    private final AutoExpandingBufferWriteTransport output;
    private final TProtocol writer;

    Writing(ThriftGlue<R> glue, TProtocolFactory protocols) {
      super(glue);
      try {
        output = new AutoExpandingBufferWriteTransport(CONFIGURATION, 1024, 0);
      } catch (TTransportException error) {
        throw new IllegalStateException(error);
      }
      writer = protocols.getProtocol(output);
    }

    @Override
    public Bytes encode(TBase<?, ?> message) throws TException {
      output.reset();
      message.write(writer);
      return new Bytes(output.getBuf().array(), 0, output.getLength());
    }
  }

  private static final class Reading<R> extends MessageDecoder<R, TBase<?, ?>> {
    private final ThriftGlue<R> glue;
    private final TMemoryInputTransport input;
    private final TProtocol reader;

    Reading(ThriftGlue<R> glue, TProtocolFactory protocols) {
      super(glue);
      this.glue = glue;
      try {
        input = new TMemoryInputTransport(CONFIGURATION);
      } catch (TTransportException error) {
        throw new IllegalStateException(error);
      }
      reader = protocols.getProtocol(input);
    }

    /** Reading makes all parts anew, and leaves alone what the bytes do not mention. */
    @Override
    public TBase<?, ?> decode(Bytes bytes, TBase<?, ?> used) throws TException {
      TBase<?, ?> message = glue.create();
      input.reset(bytes.array(), bytes.offset(), bytes.length());
      input.updateKnownMessageSize(bytes.length()); // wrong counts must not ask for memory
      try {
        message.read(reader);
      } finally {
        reader.reset(); // it may stand inside a struct
      }
      if (input.getBytesRemainingInBuffer() != 0) {
        throw new DecodeException(input.getBytesRemainingInBuffer() + " bytes are left over");
      }
      return message;
    }
  }
}
