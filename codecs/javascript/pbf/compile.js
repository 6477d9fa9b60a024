// Makes a module of a .proto file with the library's own compiler, which tells neither an absent optional
// number or text from a zero, nor a negative number of an enum from a large one. So it is given what has the
// same bytes: a oneof of that field alone, as protoc has it inside, and int32.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { compileRaw } from "pbf/compile";
import schema from "protocol-buffers-schema";

const OPTIONAL = /^( *)optional ((?:bool|double|float|string|s?fixed\d+|[su]?int\d+) (\w+) = .*;)$/gm;

const text = readFileSync(process.argv[2], "utf8");
const enums = Array.from(text.matchAll(/^enum (\w+) /gm), ([, name]) => name);
const typed = new RegExp(`\\b(${enums.join("|")})(?=>? \\w+ = \\d+)`, "g");
const numbers = enums.length > 0 ? text.replace(typed, "int32") : text;
writeFileSync("messages.js", compileRaw(schema.parse(numbers.replace(OPTIONAL, "$1oneof _$3 { $2 }"))));
