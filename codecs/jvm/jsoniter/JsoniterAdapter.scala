package serbench.codec

import com.github.plokhotnyuk.jsoniter_scala.core._
import serbench.{Adapter, Bytes}

/** JSON by a derived codec, from and to byte arrays. */
final class JsoniterAdapter[Root](codec: JsonValueCodec[Root]) extends Adapter[Root, Root] {
  private implicit val derived: JsonValueCodec[Root] = codec

  override def encode(root: Root): Bytes = Bytes.of(writeToArray(root))

  override def decode(bytes: Bytes, used: Root): Root =
    readFromSubArray(bytes.array, bytes.offset, bytes.offset + bytes.length)
}
