// Makes a module of an IDL file, as the library's own project does: flatc writes TypeScript,
// esbuild makes JavaScript of it.
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import process from "node:process";
import { build } from "esbuild";

const TYPES = "fbs"; // the folder of the namespace

rmSync(TYPES, { recursive: true, force: true });
execFileSync("flatc", ["--ts", "--no-warnings", "-o", ".", process.argv[2]], { stdio: "inherit" });
const files = readdirSync(TYPES).filter((name) => name.endsWith(".ts"));
await build({
  stdin: {
    contents: files.map((name) => `export * from "./${TYPES}/${name}";`).join("\n"),
    resolveDir: process.cwd(),
  },
  bundle: true,
  external: ["flatbuffers"],
  format: "esm",
  outfile: "messages.js",
  // Fields are assigned in constructors, as by tsc with the library's own settings.
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  logLevel: "warning",
});
