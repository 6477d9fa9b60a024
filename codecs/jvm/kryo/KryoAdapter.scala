package serbench.codec

import com.esotericsoftware.kryo.Kryo
import com.esotericsoftware.kryo.SerializerFactory.FieldSerializerFactory
import com.esotericsoftware.kryo.io.{Input, Output}
import com.esotericsoftware.kryo.serializers.FieldSerializer.FieldSerializerConfig
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy
import org.objenesis.strategy.StdInstantiatorStrategy
import serbench.{Adapter, Bytes, DecodeException, Decoder, Encoder, EnumValue}

/** Objects of one class, which is known and not written. */
final class KryoAdapter[Root](types: KryoRoot[Root]) extends Adapter[Root, Root] {
  override def encoder() = new KryoEncoder(types)
  override def decoder() = new KryoDecoder(types)
}

final class KryoEncoder[Root](types: KryoRoot[Root]) extends Encoder[Root] {
  private val output = new Output(1024, -1)

  override def encode(root: Root): Bytes = {
    output.reset()
    types.kryo.writeObject(output, root)
    new Bytes(output.getBuffer, 0, output.position)
  }
}

final class KryoDecoder[Root](types: KryoRoot[Root]) extends Decoder[Root] {
  private val input = new Input

  override def decode(bytes: Bytes, used: Root): Root = {
    input.setBuffer(bytes.array, bytes.offset, bytes.length)
    val root = types.kryo.readObject(input, types.root)
    if (!input.end) throw new DecodeException("bytes are left over")
    root
  }
}

/** The Kryo that a program has once, and that knows its classes. */
final class KryoRoot[Root](val root: Class[Root], val kryo: Kryo)

object KryoRoot {
  def apply[Root](
      root: Class[Root],
      records: Seq[Class[_]],
      enums: Seq[(Class[_], EnumValue.Companion[_])],
  ): KryoRoot[Root] = {
    val closed: Set[Class[_]] =
      Set(classOf[Vector[_]], classOf[Map[_, _]], classOf[Option[_]]) ++ enums.map(_._1)
    val kryo = new Kryo {
      // All values of these classes have the same serializer, so that a value's class need not be written.
      override def isFinal(each: Class[_]): Boolean = closed(each) || super.isFinal(each)
    }
    val fields = new FieldSerializerConfig
    fields.setFieldsCanBeNull(false)
    kryo.setDefaultSerializer(new FieldSerializerFactory(fields))
    // A case class has no constructor without arguments.
    kryo.setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy))
    kryo.register(classOf[Array[Byte]])
    kryo.register(classOf[Vector[_]], new VectorSerializer)
    kryo.register(classOf[Map[_, _]], new MapSerializer)
    kryo.register(classOf[Option[_]], new OptionSerializer)
    for ((each, companion) <- enums) kryo.register(each, new EnumSerializer(companion))
    for (each <- records if !classOf[EnumValue.Unrecognized].isAssignableFrom(each)) {
      ScalaObject.of(each) match {
        case Some(only) => kryo.register(each, new ObjectSerializer(only))
        case None => kryo.register(each)
      }
    }
    new KryoRoot(root, kryo)
  }
}
