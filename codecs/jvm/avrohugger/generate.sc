// Makes case classes of the Avro schemas in a folder: avrohugger itself comes as a library and as a plugin of sbt.
import avrohugger.Generator
import avrohugger.format.SpecificRecord

val Array(from, to) = args
val generator = new Generator(SpecificRecord)
new java.io.File(from).listFiles.sorted.foreach(generator.fileToFile(_, to))
