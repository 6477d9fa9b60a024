// Tells V8's collections, and the bytes that a pass allocates.
import { PerformanceObserver, performance } from "node:perf_hooks";
import process from "node:process";

const TRIES = 5;
const ENOUGH_BYTES = 1 << 20;

/** Counts collections from when it is made. */
export class Collections {
  #entries = [];
  #observer = new PerformanceObserver((list) => this.#entries.push(...list.getEntries()));

  constructor() {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  /** Those between two readings of `performance.now()`; asked for once. */
  async between(start, end) {
    await delivered();
    const found = this.#entries.filter((each) => each.startTime >= start && each.startTime < end);
    this.#entries = [];
    const ms = found.reduce((sum, each) => sum + each.duration, 0);
    return { collections: found.length, collecting_ns: Math.round(1e6 * ms) };
  }

  /**
   * The bytes that a pass allocates, on V8's heap and in buffers outside of it: how much both grow while
   * nothing is collected. Undefined where one pass alone fills what is collected at once.
   */
  async allocated(pass) {
    let passes = 1;
    let found;
    for (let left = TRIES; left > 0; --left) {
      globalThis.gc();
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

function heldBytes() {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** V8 tells of a collection when the event loop goes round. */
async function delivered() {
  for (let n = 0; n < 2; ++n) await new Promise((resolve) => setImmediate(resolve));
}
