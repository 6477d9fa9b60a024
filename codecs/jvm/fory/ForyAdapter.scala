package serbench.codec

import org.apache.fory.Fory
import org.apache.fory.memory.MemoryBuffer
import serbench.{Adapter, Bytes, DecodeException, Decoder, Encoder, EnumValue}

/**
 * Objects from and to memory; the library's own `serialize` to an array writes into a buffer too, and copies
 * it.
 */
final class ForyAdapter[Root](fory: Fory) extends Adapter[Root, Root] {
  override def encoder() = new ForyEncoder(fory)
  override def decoder() = new ForyDecoder(fory)
}

final class ForyEncoder[Root](fory: Fory) extends Encoder[Root] {
  private val output = MemoryBuffer.newHeapBuffer(1024)

  override def encode(root: Root): Bytes = {
    output.writerIndex(0)
    fory.serialize(output, root)
    new Bytes(output.getHeapMemory, 0, output.writerIndex)
  }
}

final class ForyDecoder[Root](fory: Fory) extends Decoder[Root] {

  override def decode(bytes: Bytes, used: Root): Root = {
    val input = MemoryBuffer.fromByteArray(bytes.array, bytes.offset, bytes.length)
    val root = fory.deserialize(input).asInstanceOf[Root]
    if (input.readerIndex != bytes.length) throw new DecodeException("bytes are left over")
    root
  }
}

object ForyTypes {

  /** The Fory that a program has once, and that knows its classes. */
  def apply(
      compatible: Boolean,
      records: Seq[Class[_]],
      enums: Seq[(Class[_], EnumValue.Companion[_])]
  ): Fory = {
    val fory = Fory.builder
      .withXlang(false)
      .withCompatible(compatible)
      .withMaxDepth(10_000) // the default is 50
      // The default refuses messages of more than 128 MiB in memory.
      .withMaxGraphMemoryBytes(Long.MaxValue)
      .build
    ScalaSerializers.register(fory)
    for ((_, companion) <- enums) companion.all.forEach(value => ScalaSerializers.registerObject(fory, value))
    for (each <- records) {
      if (classOf[EnumValue.Unrecognized].isAssignableFrom(each)) {
        ScalaSerializers.registerNumber(fory, each, enums)
      } else if (each.getName.endsWith("$")) {
        ScalaSerializers.registerObject(fory, each.getField("MODULE$").get(null))
      } else fory.register(each)
    }
    fory
  }
}
