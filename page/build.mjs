// Bundles the page's script and style into a folder: node build.mjs FOLDER
import { build } from "esbuild";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("found no folder; expected: node build.mjs FOLDER");
  process.exit(2);
}

await build({
  entryPoints: { page: "src/main.ts" },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "esm",
  // As old as what decompresses the data by itself (DecompressionStream).
  target: ["chrome103", "firefox113", "safari16.4"],
  charset: "utf8",
  legalComments: "inline",
  logLevel: "warning",
});
