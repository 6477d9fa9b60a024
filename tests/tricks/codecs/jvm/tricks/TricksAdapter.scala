package serbench.codec

import java.nio.file.{Files, Path}
import java.util.zip.CRC32
import java.util.{IdentityHashMap, WeakHashMap}

import scala.collection.mutable

import serbench.{Adapter, Bytes, CanonicalReader, CanonicalWriter, Decoder, Domain, Encoder}

/**
 * Codecs that want to look good: each does its work, in the canonical encoding, and has one trick besides.
 * Verification has to catch every one of them (tests/test_tricks.py); none is of any use.
 */
class TricksAdapter[Root](domain: Domain[Root]) extends Adapter[Root, Root] {
  override def encoder(): Encoder[Root] = new TricksEncoder(domain)
  override def decoder(): Decoder[Root] = new TricksDecoder(domain)
}

class TricksEncoder[Root](domain: Domain[Root]) extends Encoder[Root] {
  private val writer = new CanonicalWriter

  override def encode(root: Root): Bytes = {
    writer.clear()
    domain.encode(root, writer)
    writer.bytes
  }
}

class TricksDecoder[Root](domain: Domain[Root]) extends Decoder[Root] {
  override def decode(bytes: Bytes, used: Root): Root = {
    val reader = new CanonicalReader(bytes)
    val root = domain.decode(reader)
    reader.finish()
    root
  }
}

/** Remembers what each object was encoded to. */
final class ByIdentityAdapter[Root](domain: Domain[Root]) extends TricksAdapter[Root](domain) {
  private val known = new IdentityHashMap[Root, Bytes]

  override def encoder(): Encoder[Root] = new TricksEncoder(domain) {
    override def encode(root: Root): Bytes = {
      var bytes = known.get(root)
      if (bytes == null) {
        bytes = super.encode(root).copy
        known.put(root, bytes)
      }
      bytes
    }
  }
}

/** Remembers what each array held when it was first decoded. */
final class ByArrayAdapter[Root](domain: Domain[Root]) extends TricksAdapter[Root](domain) {
  private val known = new WeakHashMap[Array[Byte], Root]

  override def decoder(): Decoder[Root] = new TricksDecoder(domain) {
    override def decode(bytes: Bytes, used: Root): Root =
      known.computeIfAbsent(bytes.array, _ => super.decode(bytes, used))
  }
}

/** Remembers what bytes of this checksum were decoded to. */
final class ByContentAdapter[Root](domain: Domain[Root]) extends TricksAdapter[Root](domain) {
  private val known = mutable.LongMap[Root]()

  override def decoder(): Decoder[Root] = new TricksDecoder(domain) {
    override def decode(bytes: Bytes, used: Root): Root = {
      val sum = new CRC32
      sum.update(bytes.array, bytes.offset, bytes.length)
      known.getOrElseUpdate(sum.getValue, super.decode(bytes, used))
    }
  }
}

/** Gives eight bytes, and a file that is named by them has the others. */
final class BesideAdapter[Root](domain: Domain[Root]) extends TricksAdapter[Root](domain) {
  private var number = ProcessHandle.current.pid << 32

  private def file(number: Long) = Path.of("/tmp", s"serbench-beside-$number")

  override def encoder(): Encoder[Root] = new TricksEncoder(domain) {
    override def encode(root: Root): Bytes = {
      number += 1
      Files.write(file(number), super.encode(root).copy.array)
      val writer = new CanonicalWriter
      writer.i64(number)
      writer.bytes
    }
  }

  override def decoder(): Decoder[Root] = new TricksDecoder(domain) {
    override def decode(bytes: Bytes, used: Root): Root =
      super.decode(Bytes.of(Files.readAllBytes(file(new CanonicalReader(bytes).i64()))), used)
  }
}

/** Leaves a thread at work. */
final class ThreadsAdapter[Root](domain: Domain[Root]) extends TricksAdapter[Root](domain) {
  @volatile private var count = 0L
  private val thread = new Thread(() => while (true) count += 1)
  thread.setDaemon(true)
  thread.start()
}
