package serbench.codec;

import java.io.IOException;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificRecordBase;
import serbench.Bytes;
import serbench.DecodeException;
import serbench.KeptOutput;
import serbench.MessageAdapter;

/** Avro's generated classes; encoder, decoder and bytes are kept, and a record is read into the one before. */
public final class AvroJavaAdapter<R> extends MessageAdapter<R, SpecificRecordBase> {
  private final AvroFormat<R> format;
  private KeptOutput output;
  private BinaryEncoder encoder;
  private BinaryDecoder decoder;

  public AvroJavaAdapter(AvroFormat<R> format) {
    super(format.glue());
    this.format = format;
  }

  @Override
  public Bytes encode(SpecificRecordBase message) throws IOException {
    if (output == null) output = new KeptOutput();
    output.reset();
    encoder = EncoderFactory.get().binaryEncoder(output, encoder);
    format.writer().write(message, encoder);
    encoder.flush();
    return output.bytes();
  }

  @Override
  public SpecificRecordBase decode(Bytes bytes, SpecificRecordBase used) throws IOException {
    decoder = DecoderFactory.get().binaryDecoder(bytes.array(), bytes.offset(), bytes.length(), decoder);
    SpecificRecordBase message = format.reader().read(used, decoder);
    if (!decoder.isEnd()) throw new DecodeException("bytes are left over");
    return message;
  }
}
