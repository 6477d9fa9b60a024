package serbench.codec

import com.fasterxml.jackson.core.{JsonGenerator, JsonParser, JsonToken}
import com.fasterxml.jackson.databind._
import com.fasterxml.jackson.databind.`type`.MapLikeType
import com.fasterxml.jackson.databind.deser.{Deserializers, KeyDeserializers}
import com.fasterxml.jackson.databind.jsontype.TypeDeserializer
import com.fasterxml.jackson.databind.module.SimpleModule
import serbench.{DecodeException, EnumValue}

/** Stands in Jackson's types for a Long that is the bits of a u64. There are no objects of it. */
final class Unsigned64 private ()

object Unsigned64 {
  object Deserializer extends JsonDeserializer[AnyRef] {
    override def deserialize(in: JsonParser, context: DeserializationContext): AnyRef = {
      if (in.currentToken != JsonToken.VALUE_NUMBER_INT) {
        context.handleUnexpectedToken(classOf[Unsigned64], in)
      } else {
        val number = in.getBigIntegerValue
        if (number.signum < 0 || number.bitLength > 64) {
          context.handleWeirdNumberValue(classOf[Unsigned64], number, "expected a whole number of 64 bits")
        } else Long.box(number.longValue)
      }
    }
  }

  object FromKey extends KeyDeserializer {
    override def deserializeKey(key: String, context: DeserializationContext): AnyRef =
      Long.box(java.lang.Long.parseUnsignedLong(key))
  }
}

private object EnumNumber {
  def write(value: EnumValue, out: JsonGenerator, layout: Layout): Unit =
    if (value.isUnsigned) layout.put(value.number, out) else out.writeNumber(value.number)

  def read[E <: EnumValue](companion: EnumValue.Companion[E], in: JsonParser): E =
    if (in.getNumberType != JsonParser.NumberType.BIG_INTEGER) companion.of(in.getLongValue)
    else {
      val number = in.getBigIntegerValue
      val value = companion.of(number.longValue)
      if (!value.isUnsigned || number.bitLength > 64) {
        throw new DecodeException(s"an enum has the value $number")
      }
      value
    }
}

/** What the domain types need in any format. */
private abstract class DomainModule(name: String, enumSerializer: JsonSerializer[EnumValue])
    extends SimpleModule(name) {
  addSerializer(classOf[EnumValue], enumSerializer)
  addDeserializer(classOf[Unsigned64], Unsigned64.Deserializer.asInstanceOf[JsonDeserializer[Unsigned64]])
  addKeyDeserializer(classOf[Unsigned64], Unsigned64.FromKey)

  /** Of an enum's value, from what `in` stands at. */
  protected def readEnum[E <: EnumValue](
      companion: EnumValue.Companion[E],
      in: JsonParser,
      context: DeserializationContext
  ): E

  override def setupModule(context: Module.SetupContext): Unit = {
    super.setupModule(context)
    context.addDeserializers(new Deserializers.Base {
      override def findBeanDeserializer(
          found: JavaType,
          config: DeserializationConfig,
          description: BeanDescription
      ): JsonDeserializer[_] =
        if (found.isTypeOrSubTypeOf(classOf[EnumValue])) {
          val companion = EnumValue.companionOf(found.getRawClass.asSubclass(classOf[EnumValue]))
          new JsonDeserializer[AnyRef] {
            override def deserialize(in: JsonParser, context: DeserializationContext): AnyRef =
              readEnum(companion, in, context)
          }
        } else null
    })
  }
}

/** For JSON: enums by name, bytes as numbers from 0 to 255. */
private final class TextModule extends DomainModule("serbench-text", TextModule.EnumNames) {
  addSerializer(classOf[Array[Byte]], TextModule.ByteNumbers)
  addDeserializer(classOf[Array[Byte]], TextModule.FromByteNumbers)

  override protected def readEnum[E <: EnumValue](
      companion: EnumValue.Companion[E],
      in: JsonParser,
      context: DeserializationContext
  ): E =
    if (in.currentToken == JsonToken.VALUE_NUMBER_INT) EnumNumber.read(companion, in)
    else companion.of(in.getText)

  override def setupModule(context: Module.SetupContext): Unit = {
    super.setupModule(context)
    context.addKeyDeserializers(new TextModule.EnumKeys)
  }
}

private object TextModule {
  object EnumNames extends JsonSerializer[EnumValue] {
    override def serialize(value: EnumValue, out: JsonGenerator, context: SerializerProvider): Unit =
      if (value.isRecognized) out.writeString(value.name)
      else EnumNumber.write(value, out, Layout(hasPairs = false))
  }

  final class EnumKeys extends KeyDeserializers {
    override def findKeyDeserializer(
        found: JavaType,
        config: DeserializationConfig,
        description: BeanDescription
    ): KeyDeserializer =
      if (found.isTypeOrSubTypeOf(classOf[EnumValue])) {
        val companion = EnumValue.companionOf(found.getRawClass.asSubclass(classOf[EnumValue]))
        new KeyDeserializer {
          override def deserializeKey(key: String, context: DeserializationContext): AnyRef =
            companion.ofKey(key)
        }
      } else null
  }

  object ByteNumbers extends JsonSerializer[Array[Byte]] {
    override def serialize(value: Array[Byte], out: JsonGenerator, context: SerializerProvider): Unit = {
      out.writeStartArray(value, value.length)
      var n = 0
      while (n < value.length) {
        out.writeNumber(value(n) & 0xff)
        n += 1
      }
      out.writeEndArray()
    }
  }

  object FromByteNumbers extends JsonDeserializer[Array[Byte]] {
    override def deserialize(in: JsonParser, context: DeserializationContext): Array[Byte] = {
      if (!in.isExpectedStartArrayToken) {
        return context.handleUnexpectedToken(classOf[Array[Byte]], in).asInstanceOf[Array[Byte]]
      }
      val items = Array.newBuilder[Byte]
      while (in.nextToken() != JsonToken.END_ARRAY) {
        val number = in.getIntValue
        if (number < 0 || number > 255) {
          context.handleWeirdNumberValue(classOf[Byte], number, "expected a number from 0 to 255")
        }
        items += number.toByte
      }
      items.result()
    }
  }
}

/** For binary formats: enums by number, maps whose keys are no text as arrays of pairs. */
private final class BinaryModule(layout: Layout)
    extends DomainModule("serbench-binary", new BinaryModule.EnumNumbers(layout)) {
  override protected def readEnum[E <: EnumValue](
      companion: EnumValue.Companion[E],
      in: JsonParser,
      context: DeserializationContext
  ): E = EnumNumber.read(companion, in)

  override def setupModule(context: Module.SetupContext): Unit = {
    super.setupModule(context)
    context.addDeserializers(new Deserializers.Base {
      override def findMapLikeDeserializer(
          found: MapLikeType,
          config: DeserializationConfig,
          description: BeanDescription,
          keyDeserializer: KeyDeserializer,
          typeDeserializer: TypeDeserializer,
          valueDeserializer: JsonDeserializer[_]
      ): JsonDeserializer[_] = if (Pairs.areWritten(found)) new Pairs(found) else null
    })
  }
}

private object BinaryModule {
  final class EnumNumbers(layout: Layout) extends JsonSerializer[EnumValue] {
    override def serialize(value: EnumValue, out: JsonGenerator, context: SerializerProvider): Unit =
      EnumNumber.write(value, out, layout)
  }
}
