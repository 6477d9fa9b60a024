// The clock, taken before any codec is loaded, so that none of them replaces it: monotonic, in nanoseconds.
import process from "node:process";

export const nowNs = process.hrtime.bigint.bind(process.hrtime);

/** Nanoseconds since an earlier reading, as a number. */
export function sinceNs(before) {
  return Number(nowNs() - before);
}
