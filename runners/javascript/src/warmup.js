// Runs batches of passes until their speed settles, since how long V8 takes to compile depends on the codec.
//
// Settled is what has two windows of batches whose medians agree while compilers did next to nothing: the
// code of V8's first compilers runs evenly too, until that of the last one replaces it.
import { nowNs, sinceNs } from "./clock.js";
import { othersNs } from "./usage.js";

/** Batches of a window; their median shrugs off a collection or two. */
const WINDOW = 5;

/** A batch lasts at least so long. */
const BATCH_NS = 100_000_000;

/** Medians of windows that differ by less are the same. */
const TOLERANCE = 0.03;

/** Compilers that worked for less than this part of the time are at the edges of the program. */
const COMPILING = 0.05;

/**
 * Warms up for `limitNs` at most; a batch that was begun is ended. `own` are the numbers of the threads that
 * run JavaScript, where there are several.
 */
export function warmUp(pass, limitNs, own) {
  const start = nowNs();
  const times = [];
  const compiling = [];
  let isSettled = false;
  while (!isSettled && sinceNs(start) < limitNs) {
    compiling.push(othersNs(own));
    times.push(batch(pass));
    if (times.length < 2 * WINDOW) continue;
    const [older, newer] = [median(times.slice(-2 * WINDOW, -WINDOW)), median(times.slice(-WINDOW))];
    const compiled = othersNs(own) - compiling.at(-2 * WINDOW);
    isSettled = Math.abs(newer - older) <= TOLERANCE * older && compiled < COMPILING * 2 * WINDOW * BATCH_NS;
  }
  return { warmups: times.length, settled: isSettled, passNs: times.length > 0 ? times.at(-1) : batch(pass) };
}

/** Nanoseconds of a pass. */
function batch(pass) {
  const start = nowNs();
  let passes = 0;
  let elapsed;
  do {
    pass();
    ++passes;
    elapsed = sinceNs(start);
  } while (elapsed < BATCH_NS);
  return elapsed / passes;
}

function median(values) {
  return values.sort((one, other) => one - other)[WINDOW >> 1];
}
