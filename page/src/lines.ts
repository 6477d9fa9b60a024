// The lines of the table: what is said of each cell that is chosen, as plain values.

import { type Cell, cellOperation, nameOf, type Page } from "./data";
import type { State } from "./state";
import { basesOf, besideKey, chosenCells, relative } from "./view";

/** A line of the table, as plain values that sort. Times are nanoseconds of a message. */
export interface Line {
  cell: Cell;
  name: string;
  language: string;
  format: string;
  workload: string;
  operation: string;
  rank: number | null;
  size: number | null;
  time: number | null;
  low: number | null;
  high: number | null;
  ratio: number | null;
  ratioLow: number | null;
  ratioHigh: number | null;
  /** Names what it is, if it is no library; else empty. */
  reference: string;
  /** The cells that it is ranked among, against which its bar is drawn. */
  among: Among;
  why: string;
  /** How a part is read, with its marks; empty where messages are read whole. */
  way: string;
  /** The share of the time of reading every field. */
  everything: number | null;
}

/**
 * Cells of one workload and operation: the ends of their times, and the place of each rank among those that
 * there are.
 */
interface Among {
  shortest: number;
  longest: number;
  ranks: Map<number, number>;
}

const NONE: Among = { shortest: 0, longest: 0, ranks: new Map() };

/** The lines of what is chosen; the search is for each of its words, anywhere in a line. */
export function lines(page: Page, state: State): Line[] {
  const bases = basesOf(page, state);
  const found = chosenCells(page, state).map((cell) => line(page, cell, bases.get(besideKey(cell))));
  const tables = new Map<string, Line[]>();
  for (const each of found) {
    const key = besideKey(each.cell);
    if (!tables.has(key)) tables.set(key, []);
    tables.get(key)!.push(each);
  }
  for (const own of tables.values()) {
    const among = amongOf(own);
    for (const each of own) each.among = among;
  }
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  return found.filter((each) => words.every((word) => text(each).includes(word)));
}

function amongOf(own: Line[]): Among {
  const measured = own.filter((each) => each.time !== null);
  const ranks = [...new Set(measured.flatMap((each) => each.rank ?? []))].sort((a, b) => a - b);
  return {
    shortest: Math.min(...measured.map((each) => each.low ?? each.time!)),
    longest: Math.max(...measured.map((each) => each.high ?? each.time!)),
    ranks: new Map(ranks.map((rank, place) => [rank, place])),
  };
}

function line(page: Page, cell: Cell, base: Cell | undefined): Line {
  const messages = cell.messages || 1;
  const found = relative(cell, base);
  const per = (value: number | null): number | null => (value === null ? null : value / messages);
  return {
    cell,
    name: nameOf(cell),
    language: cell.codec.split("/")[0]!,
    format: page.codecs.get(cell.codec)?.format ?? "",
    workload: cell.workload,
    operation: cellOperation(cell),
    rank: cell.rank,
    size: cell.bytes_per_message,
    time: per(cell.time_ns),
    low: per(cell.time_low_ns),
    high: per(cell.time_high_ns),
    ratio: found?.value ?? null,
    ratioLow: found?.low ?? null,
    ratioHigh: found?.high ?? null,
    reference: page.codecs.get(cell.codec)?.reference ?? "",
    among: NONE,
    why: cell.reason ?? "",
    way: (cell.way ?? "") + (cell.unchecked ? "‡" : "") + (cell.doubtful ? "?" : ""),
    everything: cell.ratio_everything,
  };
}

function text(each: Line): string {
  return [each.name, each.format, each.workload, each.operation, each.cell.status, each.why, each.way]
    .join(" ")
    .toLowerCase();
}
