package serbench.codec

import java.util

import org.apache.fory.Fory
import org.apache.fory.config.Config
import org.apache.fory.context.{ReadContext, WriteContext}
import org.apache.fory.resolver.TypeResolver
import org.apache.fory.serializer.Serializer
import org.apache.fory.serializer.collection.{CollectionLikeSerializer, MapLikeSerializer}
import serbench.EnumValue

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/**
 * Scala's collections by the library's own ways of writing Java's, which its compiled code follows item by
 * item.
 */
private[codec] object ScalaSerializers {
  private val Immutable = "scala.collection.immutable."

  def register(fory: Fory): Unit = {
    val vectors = Vector.empty.getClass +: (1 to 6).map(n => Class.forName(s"${Immutable}Vector$n"))
    for (each <- vectors) {
      fory.registerSerializerAndType(
        each,
        resolver => new VectorSerializer(resolver, each.asInstanceOf[Class[Vector[Any]]])
      )
    }
    val hashMap = Class.forName(s"${Immutable}HashMap")
    val maps = Map.empty.getClass +: (1 to 4).map(n => Class.forName(s"${Immutable}Map$$Map$n")) :+ hashMap
    for (each <- maps) {
      fory.registerSerializerAndType(
        each,
        resolver => new MapSerializer(resolver, each.asInstanceOf[Class[Map[Any, Any]]])
      )
    }
    fory.registerSerializerAndType(classOf[Some[_]], resolver => new SomeSerializer(resolver.getConfig))
    registerObject(fory, None)
  }

  /** A case object, of which the number of its class is all that there is. */
  def registerObject(fory: Fory, only: Any): Unit =
    fory.registerSerializerAndType(only.getClass, resolver => new ObjectSerializer(resolver.getConfig, only))

  /** The class of an open enum's numbers that have no name. */
  def registerNumber(fory: Fory, each: Class[_], enums: Seq[(Class[_], EnumValue.Companion[_])]): Unit = {
    val (_, companion) = enums.find { case (kind, _) => kind.isAssignableFrom(each) }.get
    val kind = each.asInstanceOf[Class[EnumValue]]
    fory.registerSerializerAndType(
      each,
      resolver => new NumberSerializer(resolver.getConfig, kind, companion)
    )
  }
}

private final class VectorSerializer(resolver: TypeResolver, kind: Class[Vector[Any]])
    extends CollectionLikeSerializer[Vector[Any]](resolver, kind) {

  override def onCollectionWrite(context: WriteContext, items: Vector[Any]): util.Collection[_] = {
    context.getBuffer.writeVarUInt32Small7(items.length)
    items.asJava
  }

  override def newCollection(context: ReadContext, advances: Boolean): util.Collection[_] = {
    setNumElements(readCollectionSize(context, context.getBuffer, advances))
    new VectorSerializer.Building
  }

  override def onCollectionRead(items: util.Collection[_]): Vector[Any] =
    items.asInstanceOf[VectorSerializer.Building].items.result()
}

private object VectorSerializer {

  /** Takes items, and nothing else. */
  final class Building extends util.AbstractCollection[Any] {
    val items: mutable.Builder[Any, Vector[Any]] = Vector.newBuilder[Any]

    override def add(item: Any): Boolean = {
      items += item
      true
    }

    override def iterator: util.Iterator[Any] = throw new UnsupportedOperationException
    override def size: Int = throw new UnsupportedOperationException
  }
}

private final class MapSerializer(resolver: TypeResolver, kind: Class[Map[Any, Any]])
    extends MapLikeSerializer[Map[Any, Any]](resolver, kind) {

  override def onMapWrite(context: WriteContext, pairs: Map[Any, Any]): util.Map[_, _] = {
    context.getBuffer.writeVarUInt32Small7(pairs.size)
    pairs.asJava
  }

  override def newMap(context: ReadContext, advances: Boolean): util.Map[_, _] = {
    setNumElements(readMapSize(context, context.getBuffer, advances))
    new MapSerializer.Building
  }

  override def onMapRead(pairs: util.Map[_, _]): Map[Any, Any] =
    pairs.asInstanceOf[MapSerializer.Building].pairs.result()

  override def onMapCopy(pairs: util.Map[_, _]): Map[Any, Any] = onMapRead(pairs)
}

private object MapSerializer {

  /** Takes pairs, and nothing else. */
  final class Building extends util.AbstractMap[Any, Any] {
    val pairs: mutable.Builder[(Any, Any), Map[Any, Any]] = Map.newBuilder[Any, Any]

    override def put(key: Any, value: Any): Any = {
      pairs.addOne((key, value))
      null
    }

    override def entrySet: util.Set[util.Map.Entry[Any, Any]] = throw new UnsupportedOperationException
  }
}

private final class SomeSerializer(config: Config) extends Serializer[Some[Any]](config, classOf[Some[Any]]) {
  override def write(context: WriteContext, value: Some[Any]): Unit = context.writeNonRef(value.value)

  override def read(context: ReadContext): Some[Any] = Some(context.readNonRef())
}

private final class ObjectSerializer(config: Config, only: Any)
    extends Serializer[Any](config, only.getClass.asInstanceOf[Class[Any]]) {

  override def write(context: WriteContext, value: Any): Unit = ()

  override def read(context: ReadContext): Any = only
}

private final class NumberSerializer(
    config: Config,
    kind: Class[EnumValue],
    companion: EnumValue.Companion[_]
) extends Serializer[EnumValue](config, kind) {

  override def write(context: WriteContext, value: EnumValue): Unit =
    context.getBuffer.writeVarInt64(value.number)

  override def read(context: ReadContext): EnumValue =
    companion.of(context.getBuffer.readVarInt64()).asInstanceOf[EnumValue]
}
