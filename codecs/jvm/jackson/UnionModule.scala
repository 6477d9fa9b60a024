package serbench.codec

import java.lang.reflect.Constructor

import com.fasterxml.jackson.core.{JsonGenerator, JsonParser, JsonToken}
import com.fasterxml.jackson.databind._
import com.fasterxml.jackson.databind.`type`.TypeFactory
import com.fasterxml.jackson.databind.deser.{Deserializers, ResolvableDeserializer}
import com.fasterxml.jackson.databind.module.SimpleModule
import com.fasterxml.jackson.databind.ser.Serializers

/**
 * Unions as objects with one field, whose name is the alternative's. Jackson's own `WRAPPER_OBJECT` puts the
 * value into an object of its own there.
 */
private final class UnionModule(fields: Seq[DomainField], layout: Layout)
    extends SimpleModule("serbench-unions") {
  private val unions: Map[Class[_], Seq[DomainField]] =
    fields.filter(_.union.isDefined).groupBy(_.union.get).withDefaultValue(Seq.empty)

  override def setupModule(context: Module.SetupContext): Unit = {
    super.setupModule(context)
    val types = context.getTypeFactory
    context.addSerializers(new Serializers.Base {
      override def findSerializer(
          config: SerializationConfig,
          found: JavaType,
          description: BeanDescription
      ): JsonSerializer[_] = {
        val raw = found.getRawClass
        val union = if (unions.contains(raw)) Some(raw) else raw.getInterfaces.find(unions.contains)
        union.map(each => new UnionSerializer(unions(each), types, layout)).orNull
      }
    })
    context.addDeserializers(new Deserializers.Base {
      override def findBeanDeserializer(
          found: JavaType,
          config: DeserializationConfig,
          description: BeanDescription
      ): JsonDeserializer[_] =
        if (!unions.contains(found.getRawClass)) null
        else new UnionDeserializer(found, unions(found.getRawClass), types)
    })
  }
}

/** What an alternative holds; null where it has no value. */
private object Held {
  def by(field: DomainField, types: TypeFactory): JavaType =
    if (field.scalaName.isEmpty) null else types.constructType(field.reference)
}

private final class UnionSerializer(alternatives: Seq[DomainField], types: TypeFactory, layout: Layout)
    extends JsonSerializer[Product] {

  private val written: Map[Class[_], (String, TypedSerializer)] = alternatives.map { each =>
    val held = Held.by(each, types)
    (each.owner: Class[_]) -> ((each.name, if (held == null) null else new TypedSerializer(held, layout)))
  }.toMap

  override def serialize(union: Product, out: JsonGenerator, context: SerializerProvider): Unit = {
    val (name, value) = written(union.getClass)
    out.writeStartObject(union, 1)
    out.writeFieldName(name)
    if (value == null) out.writeNull()
    else value.serialize(union.productElement(0).asInstanceOf[AnyRef], out, context)
    out.writeEndObject()
  }
}

private final class UnionDeserializer(found: JavaType, alternatives: Seq[DomainField], types: TypeFactory)
    extends JsonDeserializer[AnyRef]
    with ResolvableDeserializer {

  private final class Alternative(make: Constructor[_], value: JsonDeserializer[AnyRef]) {
    def read(in: JsonParser, context: DeserializationContext): AnyRef = {
      val isNull = in.currentToken == JsonToken.VALUE_NULL
      val held = if (isNull) value.getNullValue(context) else value.deserialize(in, context)
      make.newInstance(held).asInstanceOf[AnyRef]
    }
  }

  private var holding: Map[String, Alternative] = Map.empty
  private val empty: Map[String, AnyRef] =
    alternatives
      .filter(_.scalaName.isEmpty)
      .map(each => each.name -> each.owner.getField("MODULE$").get(null))
      .toMap

  /** Once this is known, since alternatives may lead back to it. */
  override def resolve(context: DeserializationContext): Unit =
    holding = alternatives
      .filter(_.scalaName.nonEmpty)
      .map { each =>
        val value = context.findContextualValueDeserializer(Held.by(each, types), null)
        each.name -> new Alternative(each.owner.getConstructors.head, value)
      }
      .toMap

  override def deserialize(in: JsonParser, context: DeserializationContext): AnyRef = {
    if (in.currentToken != JsonToken.START_OBJECT) refuse(JsonToken.START_OBJECT, in, context)
    if (in.nextToken() != JsonToken.FIELD_NAME) refuse(JsonToken.FIELD_NAME, in, context)
    val name = in.currentName
    in.nextToken()
    val union = holding.get(name) match {
      case Some(alternative) => alternative.read(in, context)
      case None if empty.contains(name) =>
        if (in.currentToken != JsonToken.VALUE_NULL) refuse(JsonToken.VALUE_NULL, in, context)
        empty(name)
      case None =>
        val names = alternatives.map(_.name).mkString(", ")
        context.reportInputMismatch[AnyRef](found, s"found '$name', expected one of $names")
    }
    if (in.nextToken() != JsonToken.END_OBJECT) refuse(JsonToken.END_OBJECT, in, context)
    union
  }

  private def refuse(expected: JsonToken, in: JsonParser, context: DeserializationContext): Unit =
    context.reportWrongTokenException(found, expected, "expected an object with one field")
}
