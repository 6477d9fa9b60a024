// Tells whose code raised an error, by the stack of calls in which it was raised.

const RUNNER = /\/node_modules\/serbench\//;
const LIBRARY = /\/node_modules\/|\/messages[^/]*$/; // what an IDL's compiler writes is called messages too
const ADAPTER = /\/adapter\.js$/;
const FILE = /(?:file:\/\/)?(\/[^():]+)/;

/**
 * Whose code raised an error: `library` or `adapter`; empty where the stack names no file.
 *
 * The innermost file decides. Functions of the engine or of Node have none: where the adapter called one, it
 * is the library of a codec that has no other; where generated code did, it is part of the conversion.
 */
export function originOf(error) {
  let isBuiltIn = false;
  for (const line of String(error?.stack ?? "").split("\n")) {
    if (!/^ +at /.test(line)) continue;
    const [, file] = line.includes("node:") ? [] : (line.match(FILE) ?? []);
    if (file === undefined) isBuiltIn = true;
    else if (RUNNER.test(file)) return "adapter";
    else if (LIBRARY.test(file)) return "library";
    else return isBuiltIn && ADAPTER.test(file) ? "library" : "adapter";
  }
  return "";
}
