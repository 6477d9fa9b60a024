// Times each single call of an operation, where a sample is the time of many passes together
// (docs/protocol.md, "Single calls").
import fs from "node:fs";
import { nowMs, nowNs, sinceNs } from "./clock.js";
import { Draws } from "./edits.js";
import { say } from "./events.js";
import { readDataset } from "./files.js";
import { collectGarbage, Collections } from "./garbage.js";
import { parsedCell } from "./measurement.js";
import { Operations } from "./operations.js";
import { between, usage } from "./usage.js";

const EMPTY_CALLS = 4001;
const SECOND_NS = 1_000_000_000;
const NS_OF_MS = 1e6;
const HEADER_BYTES = 24;
const VERSION = 1;

/** Times single calls of `--cell`, writes their nanoseconds into `--out`, and says how they were taken. */
export async function timeCalls(cell, options) {
  const [operation, memory] = parsedCell(options.get("cell"));
  const count = options.number("calls", 10_000);
  const longestNs = options.number("longest-ns", SECOND_NS);
  const warmupNs = options.number("warmup-ns", 0);
  const draws = new Draws(BigInt(options.get("place", "0")));
  const loading = nowNs();
  const operations = new Operations(cell);
  operations.load(readDataset(options.get("dataset"), cell.schema));
  const loadingNs = sinceNs(loading);
  const preparing = nowNs();
  const { pass, input } = operations.prepare(operation, memory);
  const preparingNs = sinceNs(preparing);
  const messages = operations.inputs(input).length;
  const only = options.has("message") ? options.number("message", 0) % messages : null;
  // Drawn before anything is timed: a draw takes longer than a short call.
  const order = Uint32Array.from({ length: count }, () => only ?? draws.below(messages));
  const take = (n) => operations.takeAlone(order[n % count], input);
  const collections = new Collections();
  collectGarbage();
  let warmups = 0;
  for (const start = nowNs(); warmupNs > 0 && sinceNs(start) < warmupNs; ++warmups) {
    take(warmups);
    pass();
  }
  const before = usage();
  const begun = nowMs();
  const times = timed(pass, take, count, longestNs);
  const ended = nowMs();
  const used = between(before, usage());
  const { collecting_ns: collectingNs, kinds } = await collections.kindsBetween(begun, ended);
  write(options.get("out"), times);
  say("called", {
    operation,
    memory,
    calls: times.length,
    warmups,
    clock_ns: clockNs(),
    resolution_ns: resolutionNs(),
    loading_ns: loadingNs,
    preparing_ns: preparingNs,
    elapsed_ns: Math.ceil((ended - begun) * NS_OF_MS),
    waited_ns: used.waited_ns,
    stolen_ns: used.stolen_ns,
    collections: kinds,
    collecting_ns: collectingNs,
  });
}

/** The nanoseconds of each of so many calls, or of as many as take `longestNs`. */
function timed(pass, take, count, longestNs) {
  const times = new Float64Array(count);
  const until = nowMs() + longestNs / NS_OF_MS;
  let made = 0;
  while (made < count) {
    take(made);
    const start = nowMs();
    pass();
    const end = nowMs();
    times[made++] = end - start;
    if (end > until) break;
  }
  return times.subarray(0, made).map((ms) => Math.round(ms * NS_OF_MS));
}

/** What the clock, the loop and the call of a pass take without any work: the median of many. */
function clockNs() {
  const nothing = () => {};
  const times = timed(nothing, nothing, EMPTY_CALLS, SECOND_NS).sort();
  return times[times.length >> 1];
}

/** The least step of the clock. */
function resolutionNs() {
  let least = NS_OF_MS;
  let before = nowMs();
  for (let n = 0; n < EMPTY_CALLS; ++n) {
    const now = nowMs();
    const step = Math.round((now - before) * NS_OF_MS);
    if (step > 0) least = Math.min(least, step);
    before = now;
  }
  return least;
}

function write(path, times) {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("SERBCALL", 0, "latin1");
  header.writeUInt32LE(VERSION, 8);
  header.writeBigUInt64LE(BigInt(times.length), 16);
  const body = Buffer.from(BigUint64Array.from(times, BigInt).buffer);
  fs.writeFileSync(path, Buffer.concat([header, body]));
}
