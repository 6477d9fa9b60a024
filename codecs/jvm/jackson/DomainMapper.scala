package serbench.codec

import java.math.BigInteger

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator, StreamReadConstraints, StreamWriteConstraints}
import com.fasterxml.jackson.core.`type`.TypeReference
import com.fasterxml.jackson.databind._
import com.fasterxml.jackson.databind.`type`.TypeFactory
import com.fasterxml.jackson.databind.cfg.MapperConfig
import com.fasterxml.jackson.databind.introspect._
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

/**
 * A field of a case class: its name in Scala and the one that is written, and its whole type. In the class of
 * a union's alternative, its name is the alternative's, and a case object has one without a name in Scala.
 */
final case class DomainField(owner: Class[_], scalaName: String, name: String, reference: TypeReference[_]) {

  /** The union of which the owner is an alternative. */
  val union: Option[Class[_]] = owner.getInterfaces.find(_.getPackage == owner.getPackage)
}

/**
 * What formats differ in: whether maps with keys that are no text are arrays of pairs, and how a number
 * beyond 63 bits is put, whose bits the negative Long is.
 */
final case class Layout(hasPairs: Boolean, putUnsigned: Layout.PutUnsigned = Layout.AsBigInteger) {
  def put(bits: Long, out: JsonGenerator): Unit =
    if (bits >= 0) out.writeNumber(bits) else putUnsigned(out, bits)
}

object Layout {
  type PutUnsigned = (JsonGenerator, Long) => Unit

  val AsBigInteger: PutUnsigned =
    (out, bits) => out.writeNumber(new BigInteger(java.lang.Long.toUnsignedString(bits)))
}

/** Mappers for the domain types. */
object DomainMapper {

  /** Of a text format, where bytes are numbers, enums their names, and keys text. */
  def text[Root](factory: JsonFactory, root: Class[Root], fields: Seq[DomainField]): Binding[Root] =
    binding(factory, root, fields, new TextModule, Layout(hasPairs = false))

  /** Of a binary format, where enums are their numbers, and only maps with text as keys are maps. */
  def binary[Root](
      factory: JsonFactory,
      root: Class[Root],
      fields: Seq[DomainField],
      unsigned: Layout.PutUnsigned = Layout.AsBigInteger
  ): Binding[Root] = {
    val layout = Layout(hasPairs = true, unsigned)
    binding(factory, root, fields, new BinaryModule(layout), layout)
  }

  private val Depth = 10_000

  private def binding[Root](
      factory: JsonFactory,
      root: Class[Root],
      fields: Seq[DomainField],
      types: Module,
      layout: Layout
  ): Binding[Root] = {
    val known = new KnownFields(fields)
    // Keys of maps are names to Jackson, which by default takes them up to 50,000 bytes; and objects may be
    // 1,000 deep.
    factory.setStreamReadConstraints(
      StreamReadConstraints.builder.maxNameLength(Int.MaxValue).maxNestingDepth(Depth).build)
    factory.setStreamWriteConstraints(StreamWriteConstraints.builder.maxNestingDepth(Depth).build)
    val mapper = JsonMapper
      .builder(factory)
      .addModule(DefaultScalaModule)
      .addModule(types)
      .addModule(new UnionModule(fields, layout))
      .propertyNamingStrategy(new DomainNames(known))
      .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES) // which later schemas have
      .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
      .build()
    val typed = new DomainTypes(known, mapper.getTypeFactory, layout)
    mapper.setAnnotationIntrospector(
      AnnotationIntrospector.pair(typed, mapper.getDeserializationConfig.getAnnotationIntrospector))
    Binding[Root](mapper.writerFor(root), mapper.readerFor(root))
  }
}

/** Finds a field by where Jackson found it. */
private final class KnownFields(fields: Seq[DomainField]) {
  private val byOwner = fields.map(field => (field.owner, field.scalaName) -> field).toMap
  private val ordered = fields.groupBy(_.owner)

  def of(member: AnnotatedMember): Option[DomainField] = member match {
    case parameter: AnnotatedParameter => ordered.get(parameter.getDeclaringClass).map(_(parameter.getIndex))
    case _ => byOwner.get((member.getDeclaringClass, member.getName))
  }
}

/** The type model's names. */
private final class DomainNames(known: KnownFields) extends PropertyNamingStrategy {
  override def nameForField(config: MapperConfig[_], field: AnnotatedField, name: String): String =
    nameOf(field, name)
  override def nameForGetterMethod(config: MapperConfig[_], method: AnnotatedMethod, name: String): String =
    nameOf(method, name)
  override def nameForConstructorParameter(
      config: MapperConfig[_],
      parameter: AnnotatedParameter,
      name: String
  ): String =
    nameOf(parameter, name)

  private def nameOf(member: AnnotatedMember, name: String): String = known.of(member).fold(name)(_.name)
}

/** What annotations on the fields would say of their types. */
private final class DomainTypes(known: KnownFields, types: TypeFactory, layout: Layout)
    extends NopAnnotationIntrospector {
  // An Option inside of a field's type asks too, with its own type, which is to stay.
  override def refineDeserializationType(
      config: MapperConfig[_],
      annotated: Annotated,
      base: JavaType
  ): JavaType =
    typeOf(annotated).filter(full => base.isPrimitive || isKeptOf(full, base)).getOrElse(base)

  /** Whether `base` is what class files keep of a field's type, where numbers have become objects. */
  private def isKeptOf(full: JavaType, base: JavaType): Boolean =
    (base eq full) || base.isJavaLangObject || full.hasRawClass(base.getRawClass) &&
      isKeptInside(full.getKeyType, base.getKeyType) && isKeptInside(full.getContentType, base.getContentType)

  private def isKeptInside(full: JavaType, base: JavaType): Boolean =
    base == null || full != null && isKeptOf(full, base)

  override def findSerializer(annotated: Annotated): AnyRef =
    typeOf(annotated).filter(TypedSerializer.isNeeded(_, layout)).map(new TypedSerializer(_, layout)).orNull

  private def typeOf(annotated: Annotated): Option[JavaType] = annotated match {
    case member: AnnotatedMember => known.of(member).map(field => types.constructType(field.reference))
    case _ => None
  }
}
