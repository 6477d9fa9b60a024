package serbench.codec

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import com.fasterxml.jackson.databind._
import com.fasterxml.jackson.databind.`type`.MapLikeType
import com.fasterxml.jackson.databind.deser.ResolvableDeserializer

/**
 * Reads a map whose keys are no text from an array of pairs: Jackson's generators take names only as text.
 */
private final class Pairs(found: MapLikeType)
    extends JsonDeserializer[Map[AnyRef, AnyRef]]
    with ResolvableDeserializer {
  private var keys: JsonDeserializer[AnyRef] = _
  private var values: JsonDeserializer[AnyRef] = _

  /**
   * Once, as Jackson's own of maps does it: its cache keeps none of numbers and enums, so that looking them
   * up takes a lock and, of an enum, makes one anew.
   */
  override def resolve(context: DeserializationContext): Unit = {
    keys = context.findContextualValueDeserializer(found.getKeyType, null)
    values = context.findContextualValueDeserializer(found.getContentType, null)
  }

  override def deserialize(in: JsonParser, context: DeserializationContext): Map[AnyRef, AnyRef] = {
    val pairs = Map.newBuilder[AnyRef, AnyRef]
    if (!in.isExpectedStartArrayToken) refuse(JsonToken.START_ARRAY, context)
    while (in.nextToken() == JsonToken.START_ARRAY) {
      in.nextToken()
      val key = keys.deserialize(in, context)
      val isNull = in.nextToken() == JsonToken.VALUE_NULL
      val value = if (isNull) values.getNullValue(context) else values.deserialize(in, context)
      pairs += ((key, value))
      if (in.nextToken() != JsonToken.END_ARRAY) refuse(JsonToken.END_ARRAY, context)
    }
    if (in.currentToken != JsonToken.END_ARRAY) refuse(JsonToken.END_ARRAY, context)
    pairs.result()
  }

  private def refuse(expected: JsonToken, context: DeserializationContext): Unit =
    context.reportWrongTokenException(found, expected, "expected an array of pairs")
}

private object Pairs {

  /** Whether a map's keys are known to be other than text. */
  def areWritten(found: JavaType): Boolean = {
    val key = found.getKeyType
    key != null && !key.isJavaLangObject && !key.hasRawClass(classOf[String])
  }
}
