// Makes a module of an IDL file: what the compiler writes is CommonJS, whose files have another ending where
// all others are modules.
import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import process from "node:process";

execFileSync("thrift", ["--gen", "js:node,es6", "-out", ".", process.argv[2]], { stdio: "inherit" });
renameSync("messages_types.js", "messages_types.cjs");
