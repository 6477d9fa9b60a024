package serbench.codec;

import java.io.IOException;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificRecordBase;
import serbench.Adapter;
import serbench.Bytes;
import serbench.DecodeException;
import serbench.Decoder;
import serbench.Encoder;
import serbench.KeptOutput;
import serbench.MessageDecoder;
import serbench.MessageEncoder;

/**
 * Avro's generated classes; encoder, decoder and bytes are kept, and a record is read into the one before.
 */
public final class AvroJavaAdapter<R> implements Adapter<SpecificRecordBase, SpecificRecordBase> {
  private final AvroFormat<R> format;

  public AvroJavaAdapter(AvroFormat<R> format) {
    this.format = format;
  }

  @Override
  public Encoder<SpecificRecordBase> encoder() {
    return new Writing<>(format);
  }

  @Override
  public Decoder<SpecificRecordBase> decoder() {
    return new Reading<>(format);
  }

  private static final class Writing<R> extends MessageEncoder<R, SpecificRecordBase> {
    private final AvroFormat<R> format;
    private final KeptOutput output = new KeptOutput();
    private BinaryEncoder encoder;

    Writing(AvroFormat<R> format) {
      super(format.glue());
      this.format = format;
    }

    @Override
    public Bytes encode(SpecificRecordBase message) throws IOException {
      output.reset();
      encoder = EncoderFactory.get().binaryEncoder(output, encoder);
      format.writer().write(message, encoder);
      encoder.flush();
      return output.bytes();
    }
  }

  private static final class Reading<R> extends MessageDecoder<R, SpecificRecordBase> {
    private final AvroFormat<R> format;
    private BinaryDecoder decoder;

    Reading(AvroFormat<R> format) {
      super(format.glue());
      this.format = format;
    }

    @Override
    public SpecificRecordBase decode(Bytes bytes, SpecificRecordBase used) throws IOException {
      decoder = DecoderFactory.get().binaryDecoder(bytes.array(), bytes.offset(), bytes.length(), decoder);
      SpecificRecordBase message = format.reader().read(used, decoder);
      if (!decoder.isEnd()) throw new DecodeException("bytes are left over");
      return message;
    }
  }
}
