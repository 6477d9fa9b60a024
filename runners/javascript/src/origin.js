// Tells what an error is, and whose code raised it, by the stack of calls in which it was raised.

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

/** An error of another thread, which has told what it is. */
export class Told extends Error {
  constructor({ fields, stack }) {
    super(fields.message);
    this.fields = fields;
    this.stack = stack;
  }
}

/** The fields of the event that says an error. */
export function fieldsOf(error) {
  if (error instanceof Told) return error.fields;
  const kind = String(error?.constructor?.name ?? "");
  return { message: messageOf(error), kind, by: originOf(error), suspected: error?.suspected };
}

function messageOf(error) {
  // The name of a plain Error says nothing that its message does not.
  return error?.name === "Error" && error.message ? error.message : String(error);
}
