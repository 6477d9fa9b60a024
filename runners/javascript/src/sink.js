// Keeps results, so that no compiler can find that they are not used: which of the places is written depends
// on a number that changes.

const PLACES = 8;
const kept = new Array(PLACES).fill(null);
let at = 0;

/** Uses a result. */
export function consume(value) {
  at = (at + 1) & (PLACES - 1);
  kept[at] = value;
}

/** Lets go of all results. */
export function forget() {
  kept.fill(null);
}
