package serbench.codec

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.{JavaType, JsonSerializer, SerializerProvider}
import serbench.EnumValue

/**
 * Writes a field by its whole type, where the values alone do not tell: a u64 is a Long like others, and an
 * empty map has no keys.
 */
private final class TypedSerializer(found: JavaType, layout: Layout) extends JsonSerializer[AnyRef] {
  override def serialize(value: AnyRef, out: JsonGenerator, context: SerializerProvider): Unit =
    write(found, value, out, context)

  private def write(
      known: JavaType,
      value: Any,
      out: JsonGenerator,
      context: SerializerProvider
  ): Unit = value match {
    case None => out.writeNull()
    case Some(item) => write(known.getContentType, item, out, context)
    case items: Vector[_] =>
      out.writeStartArray(items, items.length)
      items.foreach(write(known.getContentType, _, out, context))
      out.writeEndArray()
    case map: Map[_, _] if layout.hasPairs && Pairs.areWritten(known) =>
      out.writeStartArray(map, map.size)
      map.foreachEntry { (key, item) =>
        out.writeStartArray(null, 2)
        write(known.getKeyType, key, out, context)
        write(known.getContentType, item, out, context)
        out.writeEndArray()
      }
      out.writeEndArray()
    case map: Map[_, _] =>
      out.writeStartObject(map, map.size)
      map.foreachEntry { (key, item) =>
        out.writeFieldName(key match {
          case value: EnumValue => value.name
          case _ =>
            if (isUnsigned64(known.getKeyType)) java.lang.Long.toUnsignedString(key.asInstanceOf[Long])
            else key.toString
        })
        write(known.getContentType, item, out, context)
      }
      out.writeEndObject()
    case bits: Long if isUnsigned64(known) => layout.put(bits, out)
    case other: AnyRef => context.findValueSerializer(other.getClass).serialize(other, out, context)
  }

  private def isUnsigned64(known: JavaType): Boolean = known.hasRawClass(classOf[Unsigned64])
}

private object TypedSerializer {
  def isNeeded(known: JavaType, layout: Layout): Boolean =
    known != null && (known.hasRawClass(classOf[Unsigned64]) || hasEnumKeys(known) ||
      layout.hasPairs && Pairs.areWritten(known) || isNeeded(known.getKeyType, layout) ||
      isNeeded(known.getContentType, layout))

  /** Whose names need not be those of their case objects. */
  private def hasEnumKeys(known: JavaType): Boolean =
    known.getKeyType != null && known.getKeyType.isTypeOrSubTypeOf(classOf[EnumValue])
}
