// Bundles a program with a codec and the same without it, for Node and for browsers, and prints how many
// bytes the codec adds to each, and the packages that are in it. Arguments: the program's folder, and the
// name that its adapter.js exports.
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const [folder, adapter] = process.argv.slice(2);
const WITHOUT = `export * from "./domain.js";\n`;
const WITH = `${WITHOUT}export { ${adapter} } from "./adapter.js";\n`;

async function bundle(contents, platform) {
  const made = await build({
    stdin: { contents, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    treeShaking: true,
    write: false,
    metafile: true,
    platform,
    format: "esm",
    target: "es2022",
    external: ["serbench"], // the measuring program, which no other program has
    loader: { ".node": "empty" }, // libraries in native code are no part of a bundle
    logLevel: "silent",
  });
  const { contents: bytes } = made.outputFiles[0];
  return {
    sizes: [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length],
    inputs: Object.keys(made.metafile.inputs),
  };
}

/** The package that a file belongs to, as its folder and what its package.json says. */
function packageOf(file) {
  const found = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(file);
  if (!found) return null;
  const { version, license, licenses } = JSON.parse(
    readFileSync(path.join(folder, found[1], "package.json"), "utf8"),
  );
  const named = license ?? licenses?.map((each) => each.type).join(" OR ");
  return { name: `${found[2]} ${version}`, licence: named?.type ?? named ?? "" };
}

async function weighed(platform) {
  try {
    const [more, less] = await Promise.all([WITH, WITHOUT].map((text) => bundle(text, platform)));
    const packages = new Map(
      more.inputs
        .map(packageOf)
        .filter(Boolean)
        .map((each) => [each.name, each.licence]),
    );
    const bytes = more.sizes.map((size, n) => size - less.sizes[n]);
    return { bytes, packages: Object.fromEntries(packages) };
  } catch (error) {
    const lacking = new Set(
      (error.errors ?? []).map(({ text }) => /^Could not resolve "(.*)"$/.exec(text)?.[1]).filter(Boolean),
    );
    const said = error.errors?.[0]?.text ?? error.message;
    return { failure: lacking.size ? `there is no ${[...lacking].join(", ")}` : said };
  }
}

console.log(JSON.stringify({ node: await weighed("node"), browser: await weighed("browser") }));
