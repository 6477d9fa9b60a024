// Tells V8's collections, and the bytes that a pass allocates.
import { PerformanceObserver, constants, performance } from "node:perf_hooks";
import process from "node:process";

/** V8's words for kinds of collection. */
const KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weak callbacks"],
]);

/** Bun tells of no collection, and neither Bun nor Deno of bytes in buffers outside of the heap. */
const TELLS_COLLECTIONS = PerformanceObserver.supportedEntryTypes.includes("gc");
const TELLS_BYTES = !(process.versions.bun || process.versions.deno);

const TRIES = 5;
const ENOUGH_BYTES = 1 << 20;

/** Counts collections from when it is made. */
export class Collections {
  #entries = [];
  #observer = new PerformanceObserver((list) => this.#entries.push(...list.getEntries()));

  constructor() {
    if (TELLS_COLLECTIONS) this.#observer.observe({ entryTypes: ["gc"] });
  }

  /** Those between two readings of `performance.now()`, asked for once; nothing if the engine is silent. */
  async between(start, end) {
    const { kinds, ...taken } = await this.kindsBetween(start, end);
    if (!kinds) return {};
    return { collections: Object.values(kinds).reduce((sum, each) => sum + each, 0), ...taken };
  }

  /** The same with the number of collections of each kind. */
  async kindsBetween(start, end) {
    if (!TELLS_COLLECTIONS) return {};
    await delivered();
    const found = this.#entries.filter((each) => each.startTime >= start && each.startTime < end);
    this.#entries = [];
    const kinds = {};
    for (const each of found) {
      const kind = KINDS.get(each.detail.kind) ?? "other";
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    const ms = found.reduce((sum, each) => sum + each.duration, 0);
    return { kinds, collecting_ns: Math.round(1e6 * ms) };
  }

  /**
   * The bytes that a pass allocates, on V8's heap and in buffers outside of it: how much both grow while
   * nothing is collected. Undefined where one pass alone fills what is collected at once, or the
   * engine does not tell.
   */
  async allocated(pass) {
    if (!TELLS_BYTES) return undefined;
    let passes = 1;
    let found;
    for (let left = TRIES; left > 0; --left) {
      collectGarbage();
      await delivered();
      const start = performance.now();
      const before = heldBytes();
      for (let n = 0; n < passes; ++n) pass();
      const grown = heldBytes() - before;
      const { collections } = await this.between(start, performance.now());
      if (collections > 0) break;
      found = Math.max(0, Math.round(grown / passes));
      if (grown >= ENOUGH_BYTES) break;
      passes = Math.min(8 * passes, Math.max(passes, Math.floor(ENOUGH_BYTES / Math.max(found, 1))));
    }
    return found;
  }
}

/** Collects all garbage of this thread. Bun has V8's function for it in its first thread alone. */
export function collectGarbage() {
  if (globalThis.gc) globalThis.gc();
  else globalThis.Bun.gc(true);
}

function heldBytes() {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** V8 tells of a collection when the event loop goes round. */
async function delivered() {
  for (let n = 0; n < 2; ++n) await new Promise((resolve) => setImmediate(resolve));
}
