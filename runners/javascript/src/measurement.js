// Takes samples of cells, each in a process of its own: what V8 has learnt of one operation changes how it
// compiles the next.
import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { nowNs, sinceNs } from "./clock.js";
import { givenBodies } from "./edits.js";
import { say } from "./events.js";
import { readDataset } from "./files.js";
import { collectGarbage, Collections } from "./garbage.js";
import { Operations } from "./operations.js";
import { Unseen } from "./unseen.js";
import { between, together, usage } from "./usage.js";
import { warmUp } from "./warmup.js";
import { Watching } from "./watching.js";
import { wordsAhead } from "./writer_schema.js";

/** A sample lasts at least so long, so that the garbage of its passes is collected within it. */
const LEAST_SAMPLE_NS = 200_000_000;

const DEFAULT_WARMUP_NS = 10_000_000_000;

/** The command by which this program starts itself for a cell. */
export const OF_A_CELL = "measure-cell";

/** Measures the cells of `--cells` one after the other; returns whether all have their samples. */
export function measure(cell, options) {
  const offered = new Operations(cell).offered();
  const cells = options.get("cells").split(",");
  for (const each of cells) {
    const [operation, memory] = parsedCell(each);
    if (!offered.includes(operation)) throw new Error(`this codec has no operation ${operation}`);
    if (memory !== "reuse" && memory !== "fresh") {
      throw new Error(`found memory policy '${memory}', expected reuse or fresh`);
    }
  }
  for (const each of cells) {
    const words = [...options.with("cells", each).words()];
    const command = [...process.execArgv, ...process.argv.slice(1, 3), ...wordsAhead, OF_A_CELL, ...words];
    const done = spawnSync(process.execPath, command, { stdio: ["ignore", 1, 2] });
    if (done.error) throw done.error;
    if (done.signal) throw new Error(`the process that measures ${each} was ended by ${done.signal}`);
    if (done.status !== 0) return false; // it has said why
  }
  return true;
}

/** The operation and the memory policy of a cell. */
export function parsedCell(cell) {
  const [operation, memory, ...more] = cell.split(":");
  if (memory === undefined || more.length > 0) {
    throw new Error(`found cell '${cell}', expected OPERATION:MEMORY`);
  }
  return [operation, memory];
}

/**
 * The cell of `--cells` over its dataset, as it is before the warm-up: its passes (`prepared`), and what
 * changes values between them (`watching`, null where nothing does).
 */
export function readied(cell, options) {
  const [operation, memory] = parsedCell(options.get("cells"));
  const canonical = readDataset(options.get("dataset"), cell.schema);
  const operations = new Operations(cell);
  operations.load(canonical, givenBodies(options, canonical));
  const watching = options.has("edits") ? new Watching(operations, canonical, options) : null;
  const prepared = operations.prepare(operation, memory);
  // Fields that never changed are constants to V8's compiler: it has to see them change before it settles.
  if (watching?.drawWatched()) {
    watching.renew(prepared.input, true);
    watching.shift(prepared.input);
  }
  return { operation, memory, canonical, operations, watching, prepared };
}

/** The nanoseconds of a sample. */
export function sampleNsOf(options) {
  return Math.max(options.number("sample-ns", 0), LEAST_SAMPLE_NS);
}

/** Takes the samples of one cell. */
export async function measureCell(cell, options) {
  const samples = options.number("samples", 3);
  const given = options.number("iterations", 0);
  const sampleNs = sampleNsOf(options);
  const { operation, memory, canonical, operations, watching, prepared } = readied(cell, options);
  const collections = new Collections();
  collectGarbage();
  if (cell.takeSamples) {
    const asked = { samples, sampleNs, iterations: given, warmupNs: warmupNsOf(options) };
    for (const fields of cell.takeSamples(prepared.pass, asked, { usage, between })) {
      say("sample", { operation, memory, ...fields });
    }
    return;
  }
  const warmth = given > 0 ? run(prepared.pass, Math.max(1, Math.floor(given / 100))) : null;
  const warmed = warmth ?? warmUp(prepared.pass, warmupNsOf(options));
  const iterations = given > 0 ? given : Math.max(1, Math.ceil(sampleNs / warmed.passNs));
  const allocated = given > 0 ? undefined : await collections.allocated(prepared.pass);
  for (let n = 0; n < samples; ++n) {
    const isWatched = watching?.drawWatched() ?? false;
    if (isWatched) {
      watching.renew(prepared.input, iterations > 1);
      collectGarbage(); // new objects move to the old generation at once, as before the warm-up
    }
    let left = 0;
    const writeDown = () => {
      watching.writeDown(operation, memory, prepared);
      ++left;
    };
    const change = () => {
      writeDown(); // a codec that is honest only where a sample ends is seen here
      watching.shift(prepared.input);
    };
    const first = isWatched && iterations > 1 ? 1 + watching.draws.below(iterations - 1) : 0;
    const begun = performance.now();
    const taken =
      first > 0 ? inParts(prepared.pass, first, iterations, change) : part(prepared.pass, iterations);
    const collected = await collections.between(begun, performance.now());
    if (isWatched) writeDown();
    say("sample", {
      operation,
      memory,
      iterations,
      left,
      ...taken,
      ...collected,
      ...(allocated === undefined ? {} : { allocated_bytes_per_op: allocated }),
      warmups: warmed.warmups,
      settled: warmed.settled,
    });
  }
  if (watching !== null) {
    new Unseen(operations, canonical, options).check(operation, memory);
  }
}

/** The longest time for which a cell warms up, in nanoseconds. */
export function warmupNsOf(options) {
  return options.number("warmup-ns", DEFAULT_WARMUP_NS);
}

/** A fixed number of passes in the place of a warm-up. */
function run(pass, passes) {
  for (let n = 0; n < passes; ++n) pass();
  return { warmups: 0, settled: true, passNs: 1 };
}

/** A sample in two parts, the first of so many passes, between which something changes. */
function inParts(pass, first, iterations, change) {
  const one = part(pass, first);
  change();
  return together(one, part(pass, iterations - first));
}

function part(pass, iterations) {
  const before = usage();
  const start = nowNs();
  for (let n = 0; n < iterations; ++n) pass();
  const elapsed = Math.max(1, sinceNs(start));
  return { elapsed_ns: elapsed, ...between(before, usage()) };
}
