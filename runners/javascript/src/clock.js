// The clock, taken before any codec is loaded, so that none of them replaces it: monotonic, in nanoseconds.
import { performance } from "node:perf_hooks";
import process from "node:process";

export const nowNs = process.hrtime.bigint.bind(process.hrtime);

/** Nanoseconds since an earlier reading, as a number. */
export function sinceNs(before) {
  return Number(nowNs() - before);
}

/** The same clock in milliseconds with a fraction, for single calls: to read it leaves no garbage. */
export const nowMs = performance.now.bind(performance);
