// Which cells the reader sees, by what was chosen.

import { type Cell, type Codec, cellOperation, nameOf, type Page, type Wire } from "./data";
import type { State } from "./state";

export interface Need {
  name: string;
  title: string;
  meaning: string;
  has: (codec: Codec) => boolean;
}

/** What a reader may need of a codec: a feature of its format, or a check of its decoder. */
export function needs(page: Page): Need[] {
  const made = known.get(page) ?? needsOf(page);
  known.set(page, made);
  return made;
}

/** Kept, since every part of the page asks for them with every codec. */
const known = new WeakMap<Page, Need[]>();

function needsOf(page: Page): Need[] {
  const features = Object.entries(page.words.features).map(([name, meaning]) => ({
    name,
    title: name.replaceAll("_", " "),
    meaning,
    has: (codec: Codec) => codec.features.includes(name),
  }));
  const checked = {
    name: "checked_decode",
    title: "checked decode",
    meaning: `decoding checks: ${Object.values(page.words.checks).join("; ")}`,
    has: (codec: Codec) => Object.keys(page.words.checks).every((check) => codec.checks?.includes(check)),
  };
  const harmless = {
    name: "harmless",
    title: "survives hostile input",
    meaning: "none of the hostile messages tried made it crash, hang or allocate excessive memory",
    has: (codec: Codec) => codec.hostile !== null && codec.hostile.length === 0,
  };
  const any = [...page.codecs.values()];
  const specifications = [...new Set(any.flatMap((codec) => codec.conforms))].map((name) => ({
    name: `conforms to ${name}`,
    title: `conforms to ${name}`,
    meaning: `all tried cases that ${name} decides come out as it says`,
    has: (codec: Codec) => codec.conforms.includes(name),
  }));
  return [...features, ...specifications, checked, harmless].filter((need) => any.some(need.has));
}

/**
 * Whether a codec is shown; `besides` names a kind of choice that is ignored, to count what it would leave.
 */
export function fits(page: Page, state: State, codec: Codec, besides = ""): boolean {
  if (besides !== "language" && state.language.length && !state.language.includes(codec.language))
    return false;
  if (besides !== "format" && state.format.length && !state.format.includes(codec.format ?? "")) return false;
  return needs(page)
    .filter((need) => state.need.includes(need.name))
    .every((need) => need.has(codec));
}

/** The codecs that are shown. */
export function chosenCodecs(page: Page, state: State): Set<string> {
  return new Set(
    [...page.codecs.values()].filter((codec) => fits(page, state, codec)).map((codec) => codec.id),
  );
}

/** The cells of the chosen run whose codecs are shown, of the chosen workload and operation, or of all. */
export function chosenCells(page: Page, state: State, of: Partial<State> = {}): Cell[] {
  const asked = { ...state, ...of };
  const codecs = chosenCodecs(page, asked);
  return page.cells.filter(
    (cell) =>
      cell.run === asked.run &&
      (!asked.workload || cell.workload === asked.workload) &&
      (!asked.operation || cellOperation(cell) === asked.operation) &&
      codecs.has(cell.codec),
  );
}

export function chosenWire(page: Page, state: State): Wire[] {
  const codecs = chosenCodecs(page, state);
  return page.wire.filter(
    (each) => each.run === state.run && each.workload === state.workload && codecs.has(each.codec),
  );
}

/** A ratio with the ends of its interval. */
export interface Ratio {
  value: number;
  low: number;
  high: number;
}

/**
 * To the best of its table, paired by round, or to the base that was chosen. For a base, the page has no
 * rounds: the interval is that of two independent figures, which is wider than one paired by round, so that
 * it never claims too much.
 */
export function relative(cell: Cell, base: Cell | undefined): Ratio | null {
  if (!base) {
    if (cell.ratio_best === null) return null;
    return { value: cell.ratio_best, low: cell.ratio_low!, high: cell.ratio_high! };
  }
  if (!cell.time_ns || !base.time_ns) return null;
  if (cell === base) return { value: 1, low: 1, high: 1 };
  const value = cell.time_ns / base.time_ns;
  const above = (each: Cell): number => Math.log(each.time_high_ns! / each.time_ns!);
  const below = (each: Cell): number => Math.log(each.time_ns! / each.time_low_ns!);
  return {
    value,
    low: value / Math.exp(Math.hypot(below(cell), above(base))),
    high: value * Math.exp(Math.hypot(above(cell), below(base))),
  };
}

/** The cell of the chosen base beside another: of the same run, workload and operation. */
export function basesOf(page: Page, state: State): Map<string, Cell> {
  const found = new Map<string, Cell>();
  if (!state.base) return found;
  for (const cell of page.cells) {
    if (cell.run === state.run && nameOf(cell) === state.base) found.set(besideKey(cell), cell);
  }
  return found;
}

export function besideKey(cell: Cell): string {
  return `${cell.workload}\n${cellOperation(cell)}`;
}

export interface Point {
  cell: Cell;
  x: number;
  y: number;
  low: number;
  high: number;
  front: boolean;
}

/** The places that a cell may have: its rank, or a range where that is not known. */
interface Place {
  best: number;
  worst: number;
}

/** As `place_of` in Python: by its interval where it is unsteady, or may be the fastest of a later rank. */
function placeOf(cell: Cell, cells: Cell[]): Place {
  const rank = cell.rank!;
  const known = !cell.unsteady && (rank === 1 || !cell.may_lead);
  if (known || cell.ratio_best === null) return { best: rank, worst: rank };
  const others = cells.filter((each) => each !== cell && each.ratio_best !== null);
  return {
    best: 1 + others.filter((each) => each.ratio_high! < cell.ratio_low!).length,
    worst: 1 + others.filter((each) => each.ratio_low! <= cell.ratio_high!).length,
  };
}

/**
 * Bytes and time of a message, with who is on the Pareto front: no other is for certain both at most as large
 * and, by its place, as fast. Which codecs there are follows from what the reader chooses, so this cannot be
 * computed beforehand; `scatters_of` in Python has the same rules for pictures, and tests/test_page_looks.py
 * compares the two. Floors and references are left out.
 */
export function points(cells: Cell[]): Point[] {
  const measured = cells.filter((cell) => cell.time_ns && cell.bytes_per_message && cell.rank !== 0);
  const contends = (cell: Cell): boolean => !!cell.rank && !cell.constant_time_view;
  const contenders = measured.filter(contends);
  const places = new Map(contenders.map((cell) => [cell, placeOf(cell, contenders)]));
  return measured.map((cell) => {
    const messages = cell.messages ?? 1;
    const place = places.get(cell);
    const beaten = contenders.some((other) => {
      const worst = places.get(other)!.worst;
      return (
        other !== cell &&
        !!place &&
        other.size_bytes! <= cell.size_bytes! &&
        worst <= place.best &&
        (other.size_bytes! < cell.size_bytes! || worst < place.best)
      );
    });
    return {
      cell,
      x: cell.bytes_per_message!,
      y: cell.time_ns! / messages,
      low: (cell.time_low_ns ?? cell.time_ns!) / messages,
      high: (cell.time_high_ns ?? cell.time_ns!) / messages,
      front: !!place && !beaten,
    };
  });
}
