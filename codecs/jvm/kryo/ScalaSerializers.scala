package serbench.codec

import com.esotericsoftware.kryo.io.{Input, Output}
import com.esotericsoftware.kryo.util.Generics.GenericType
import com.esotericsoftware.kryo.{Kryo, Serializer}
import serbench.EnumValue

/**
 * What Kryo's own serializers of Java's collections do, for Scala's: the class of an item is only written
 * where the type arguments of the field leave it open, as they do for numbers.
 */
private sealed abstract class Items[T] extends Serializer[T](false, true) {

  /**
   * The type arguments of the value that is next, and the last of them for what is in it; to be followed by
   * `leave`.
   */
  protected final def enter(kryo: Kryo): Array[GenericType] = kryo.getGenerics.nextGenericTypes()

  protected final def leave(kryo: Kryo): Unit = kryo.getGenerics.popGenericType()

  /** The class of all items; null where each may have another. */
  protected final def itemClass(kryo: Kryo, arguments: Array[GenericType], at: Int): Class[_] = {
    val known = if (arguments == null) null else arguments(at).resolve(kryo.getGenerics)
    if (known != null && kryo.isFinal(known)) known else null
  }

  protected final def serializer(kryo: Kryo, known: Class[_]): Serializer[_] =
    if (known == null) null else kryo.getSerializer(known)

  protected final def writeItem(kryo: Kryo, output: Output, item: Any, known: Serializer[_]): Unit =
    if (known == null) kryo.writeClassAndObject(output, item) else kryo.writeObject(output, item, known)

  protected final def readItem(kryo: Kryo, input: Input, known: Class[_], serializer: Serializer[_]): Any =
    if (known == null) kryo.readClassAndObject(input)
    else kryo.readObject(input, known.asInstanceOf[Class[Any]], serializer.asInstanceOf[Serializer[Any]])
}

private final class VectorSerializer extends Items[Vector[Any]] {
  override def write(kryo: Kryo, output: Output, items: Vector[Any]): Unit = {
    output.writeVarInt(items.length, true)
    if (items.nonEmpty) {
      val known = serializer(kryo, itemClass(kryo, enter(kryo), 0))
      val each = items.iterator
      while (each.hasNext) writeItem(kryo, output, each.next(), known)
      leave(kryo)
    }
  }

  override def read(kryo: Kryo, input: Input, kind: Class[_ <: Vector[Any]]): Vector[Any] = {
    var left = input.readVarInt(true)
    if (left == 0) return Vector.empty
    val known = itemClass(kryo, enter(kryo), 0)
    val items = Vector.newBuilder[Any]
    val read = serializer(kryo, known)
    while (left > 0) {
      items += readItem(kryo, input, known, read)
      left -= 1
    }
    leave(kryo)
    items.result()
  }
}

private final class MapSerializer extends Items[Map[Any, Any]] {
  override def write(kryo: Kryo, output: Output, pairs: Map[Any, Any]): Unit = {
    output.writeVarInt(pairs.size, true)
    if (pairs.nonEmpty) {
      val arguments = enter(kryo)
      val key = serializer(kryo, itemClass(kryo, arguments, 0))
      val value = serializer(kryo, itemClass(kryo, arguments, 1))
      val each = pairs.iterator
      while (each.hasNext) {
        val pair = each.next()
        writeItem(kryo, output, pair._1, key) // a key is a number or text, which has no type arguments
        writeItem(kryo, output, pair._2, value)
      }
      leave(kryo)
    }
  }

  override def read(kryo: Kryo, input: Input, kind: Class[_ <: Map[Any, Any]]): Map[Any, Any] = {
    var left = input.readVarInt(true)
    if (left == 0) return Map.empty
    val arguments = enter(kryo)
    val (key, value) = (itemClass(kryo, arguments, 0), itemClass(kryo, arguments, 1))
    val (readKey, readValue) = (serializer(kryo, key), serializer(kryo, value))
    val pairs = Map.newBuilder[Any, Any]
    while (left > 0) {
      pairs.addOne((readItem(kryo, input, key, readKey), readItem(kryo, input, value, readValue)))
      left -= 1
    }
    leave(kryo)
    pairs.result()
  }
}

private final class OptionSerializer extends Items[Option[Any]] {
  override def write(kryo: Kryo, output: Output, value: Option[Any]): Unit = {
    output.writeBoolean(value.isDefined)
    if (value.isDefined) {
      writeItem(kryo, output, value.get, serializer(kryo, itemClass(kryo, enter(kryo), 0)))
      leave(kryo)
    }
  }

  override def read(kryo: Kryo, input: Input, kind: Class[_ <: Option[Any]]): Option[Any] = {
    if (!input.readBoolean()) return None
    val known = itemClass(kryo, enter(kryo), 0)
    val item = readItem(kryo, input, known, serializer(kryo, known))
    leave(kryo)
    Some(item)
  }
}

/** A sealed family of case objects by its number, which throws where it has none. */
private final class EnumSerializer(companion: EnumValue.Companion[_])
    extends Serializer[EnumValue](false, true) {
  override def write(kryo: Kryo, output: Output, value: EnumValue): Unit =
    output.writeVarLong(value.number, false)

  override def read(kryo: Kryo, input: Input, kind: Class[_ <: EnumValue]): EnumValue =
    companion.of(input.readVarLong(false)).asInstanceOf[EnumValue]
}

/** A case object, of which the number of its class is all that there is. */
private final class ObjectSerializer(only: AnyRef) extends Serializer[AnyRef](false, true) {
  override def write(kryo: Kryo, output: Output, value: AnyRef): Unit = ()

  override def read(kryo: Kryo, input: Input, kind: Class[_ <: AnyRef]): AnyRef = only
}

private object ScalaObject {

  /** The only value of an object's class. */
  def of(kind: Class[_]): Option[AnyRef] =
    if (kind.getName.endsWith("$")) Some(kind.getField("MODULE$").get(null)) else None
}
