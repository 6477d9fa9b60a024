package serbench.codec

import java.nio.file.{Files, Path}
import java.util.zip.CRC32
import java.util.{IdentityHashMap, WeakHashMap}

import scala.collection.mutable
import scala.util.Try

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

/**
 * Honest; or, where SERBENCH_TRICK says TRIGGER/HAND, an encoder that hands out what it encoded first, or a
 * decoder that hands out what it was given to be used again, or what it decoded first of this array, once the
 * trigger has gone off.
 */
final class ChosenAdapter[Root](domain: Domain[Root]) extends TricksAdapter[Root](domain) {
  private var first: Bytes = null
  private val decoded = new WeakHashMap[Array[Byte], Root]

  override def encoder(): Encoder[Root] = new TricksEncoder(domain) {
    override def encode(root: Root): Bytes =
      if (!Trigger.cheats("encode")) super.encode(root)
      else {
        if (first == null) first = super.encode(root).copy
        first
      }
  }

  override def decoder(): Decoder[Root] = new TricksDecoder(domain) {
    override def decode(bytes: Bytes, used: Root): Root =
      if (!Trigger.cheats("decode")) super.decode(bytes, used)
      else if (used != null) used
      else decoded.computeIfAbsent(bytes.array, _ => super.decode(bytes, used))
  }
}

/**
 * Its view is the bytes, from which each call of traverse reads all values; or it gives the sum by the trick
 * that SERBENCH_TRICK names (tests/test_trick_reads.py), once the trigger has gone off.
 */
final class ReadsAdapter[Root](domain: Domain[Root]) extends Adapter[Root, Bytes] {
  private val Tail = 8
  private val sums = mutable.HashMap[Any, Long]()
  private val byArray = new IdentityHashMap[Array[Byte], Long]
  private val copies = new IdentityHashMap[Array[Byte], Bytes]
  private var seen: Bytes = null

  private def beside(bytes: Bytes) = Path.of("/tmp", s"serbench-trick-${checksum(bytes)}")

  private def checksum(bytes: Bytes): Long = {
    val sum = new CRC32
    sum.update(bytes.array, bytes.offset, bytes.length)
    sum.getValue
  }

  private def sum(bytes: Bytes): Long = {
    val reader = new CanonicalReader(bytes)
    val root = domain.decode(reader)
    reader.finish()
    domain.traverse(root)
  }

  private def first(bytes: Bytes, length: Int) = new Bytes(bytes.array, bytes.offset, length)

  private def values(bytes: Bytes) =
    first(bytes, bytes.length - (if (Trigger.hand == "tail") Tail else 0))

  override def encoder(): Encoder[Root] = new TricksEncoder(domain) {
    override def encode(root: Root): Bytes = {
      val bytes = super.encode(root).copy
      val answer = new CanonicalWriter
      answer.i64(domain.traverse(root))
      if (Trigger.hand == "beside") Files.write(beside(bytes), answer.bytes.copy.array)
      if (Trigger.hand != "tail") bytes else Bytes.of(bytes.array ++ answer.bytes.copy.array)
    }
  }

  override def decoder(): Decoder[Bytes] =
    new Decoder[Bytes] with Decoder.Extracts[Root, Bytes] with Decoder.Traverses[Bytes] {
      override def decode(bytes: Bytes, used: Bytes): Bytes = bytes

      override def extract(view: Bytes): Root = {
        val reader = new CanonicalReader(values(view))
        val root = domain.decode(reader)
        reader.finish()
        root
      }

      override def traverse(view: Bytes): Long =
        if (!Trigger.cheats(Trigger.hand)) sum(values(view))
        else
          Trigger.hand match {
            case "address" => byArray.computeIfAbsent(view.array, _ => sum(view))
            case "count" => sums.getOrElseUpdate(view.length, sum(view))
            case "content" =>
              if (!copies.getOrDefault(view.array, Bytes.of(Array())).sameAs(view)) {
                copies.put(view.array, view.copy)
                byArray.put(view.array, sum(view))
              }
              byArray.get(view.array)
            case "fewer" =>
              if (seen == null) seen = view.copy
              val half = view.length / 2
              sum(Bytes.of(first(view, half).copy.array ++ seen.copy.array.drop(half)))
            case "beside" => new CanonicalReader(Bytes.of(Files.readAllBytes(beside(view)))).i64()
            case "tail" => new CanonicalReader(Bytes.of(view.copy.array.takeRight(Tail))).i64()
            case _ => 0
          }
    }
}

private object Trigger {
  private[codec] val Array(trigger, hand) =
    (Option(System.getenv("SERBENCH_TRICK")).getOrElse("") + "/").split("/", -1).take(2)
  private val begin = System.nanoTime
  private val QuicklyNs = 100000
  private val Many = 200
  private var calls = 0L
  private var quick = 0L
  private var last = 0L
  private var isKnown = false

  /** Whether a hand cheats in this call, which is counted. */
  def cheats(which: String): Boolean =
    trigger.nonEmpty && {
      val now = System.nanoTime
      calls += 1
      quick = if (now - last < QuicklyNs) quick + 1 else 0
      last = now
      (hand == which || hand == "both") && hasGoneOff(now)
    }

  private def hasGoneOff(now: Long): Boolean = trigger match {
    case "always" => true
    case "measure" => once(System.getProperty("sun.java.command").contains("ForkedMain"))
    case "succession" => quick > Many
    case "after_50ms" => now - begin > 50000000L
    case "environment" => once(System.getenv("SERBENCH_MARK") != null)
    case "parent" => once(ProcessHandle.current.parent.flatMap(_.info.command).orElse("").contains("java"))
    case "files" => once(isWrittenDown)
    case s"after_$count" => calls > count.toLong
    case _ => throw new IllegalArgumentException(s"found the trigger $trigger")
  }

  /** Asks now and then until the answer is yes. */
  private def once(ask: => Boolean): Boolean = {
    if (!isKnown && calls % 10 == 1) isKnown = ask
    isKnown
  }

  /** Whether this process has a file open that only one has whose passes are looked at. */
  private def isWrittenDown: Boolean =
    Option(new java.io.File("/proc/self/fd").listFiles).toSeq.flatten
      .exists(file => Try(Files.readSymbolicLink(file.toPath).toString.endsWith("left")).getOrElse(false))
}
