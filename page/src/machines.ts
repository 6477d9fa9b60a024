// Codec × machine of a run of several: who is how far behind on each, and for which kinds the verdict holds.

import { type Cell, cellOperation, nameOf, type Page, type Run } from "./data";
import { h, shortened, table } from "./dom";
import { legend, MOST_MACHINES, type Shaded, square, topOf } from "./shade";
import type { State, Store } from "./state";
import { chosenCodecs } from "./view";

interface Column {
  kind: string;
  name: string;
  /** The ids of its runs: of one machine, or of all of a kind. */
  runs: string[];
}

/** Of the run of several machines to which the chosen one belongs; nothing of a run of one machine. */
export function machines(page: Page, store: Store): HTMLElement | null {
  const { state } = store;
  const whole = page.runs.find((each) => each.id === state.run)?.part?.of;
  const runs = page.runs.filter((each) => whole !== undefined && each.part?.of === whole);
  if (runs.length < 2) return null;
  if (!state.workload || !state.operation) {
    return h("p", { class: "quiet" }, "Choose one workload and one operation to compare machines.");
  }
  const said = page.fleets.find((each) => each.run === whole)?.verdicts[state.workload] ?? [];
  return h(
    "div",
    { class: "answer" },
    h("dl", {}, ...said.flatMap((each) => [h("dt", {}, each.label), h("dd", {}, each.text)])),
    ...squares(page, state, runs),
  );
}

function squares(page: Page, state: State, runs: Run[]): HTMLElement[] {
  const columns = columnsOf(runs);
  const cells = cellsOf(page, state, new Set(runs.map((each) => each.id)));
  const lines = [...cells].map(([name, own]) => ({ name, shown: columns.map((each) => shaded(own, each)) }));
  const known = lines.filter((line) => line.shown.some((each) => each.value !== null));
  if (!known.length)
    return [h("p", { class: "quiet" }, "Nothing to show: not measured, or hidden by your choices.")];
  known.sort((a, b) => Number(isFloor(b.shown)) - Number(isFloor(a.shown)) || mean(a.shown) - mean(b.shown));
  const top = topOf(
    known.flatMap(({ shown }) => shown.flatMap((each) => (each.floor ? [] : [each.value ?? 1]))),
  );
  const kinds = [...new Set(columns.map((each) => each.kind))];
  const made = table(
    `Ratio to the fastest on each machine: ${state.workload}, ${state.operation}`,
    ["codec", ...columns.map((each) => shortened(each.name, 40))],
    known.map(({ name, shown }) => [shortened(name, 60), ...shown.map((each) => square(each, top))]),
    { class: "heat" },
    kinds.map((kind): [string, number] => [
      shortened(kind, 80),
      columns.filter((each) => each.kind === kind).length,
    ]),
  );
  const many = runs.length > MOST_MACHINES;
  const note =
    `There are ${runs.length} machines, so a column is a kind of machine: ` +
    "the median of the ratios on those of its machines that have the codec. ";
  const where = many ? "on every one of them" : "there";
  const bold = `Bold: rank 1 ${where}; several in a column share it.`;
  return [
    legend("Times as long as the fastest on the same machine", top),
    made,
    h("p", { class: "quiet" }, many && note, bold),
  ];
}

/** A column for each machine, those of a kind together; of many machines one for each kind. */
function columnsOf(runs: Run[]): Column[] {
  const each = runs
    .map((run): Column => ({ kind: run.part!.kind, name: run.part!.machine, runs: [run.id] }))
    .sort((a, b) => compared(a.kind, b.kind) || compared(a.name, b.name));
  if (runs.length <= MOST_MACHINES) return each;
  return [...new Set(each.map((column) => column.kind))].map((kind) => {
    const own = each.filter((column) => column.kind === kind);
    const name = own.length > 1 ? `median of ${own.length}` : own[0]!.name;
    return { kind, name, runs: own.flatMap((column) => column.runs) };
  });
}

/** In the order of `show`, which is that of the characters' numbers. */
function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Each contender's cells by the id of their run. */
function cellsOf(page: Page, state: State, runs: Set<string>): Map<string, Map<string, Cell>> {
  const codecs = chosenCodecs(page, state);
  const found = new Map<string, Map<string, Cell>>();
  for (const cell of page.cells) {
    if (!runs.has(cell.run) || cell.workload !== state.workload || !codecs.has(cell.codec)) continue;
    if (cellOperation(cell) !== state.operation) continue;
    if (!found.has(nameOf(cell))) found.set(nameOf(cell), new Map());
    found.get(nameOf(cell))!.set(cell.run, cell);
  }
  return found;
}

function shaded(cells: Map<string, Cell>, column: Column): Shaded {
  const own = column.runs.flatMap((run) => cells.get(run) ?? []);
  const known = own.filter((cell) => cell.ratio_best !== null);
  return {
    value: known.length ? median(known.map((cell) => cell.ratio_best!)) : null,
    first: known.length > 0 && known.every((cell) => cell.rank === 1),
    floor: known.some((cell) => cell.rank === 0),
    view: known.length > 0 && known.every((cell) => cell.constant_time_view),
    reason: own.find((cell) => cell.reason)?.reason ?? "not measured there",
  };
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function isFloor(shown: Shaded[]): boolean {
  return shown.some((each) => each.floor);
}

/** The geometric mean's logarithm. */
function mean(shown: Shaded[]): number {
  const logs = shown.flatMap((each) => (each.value === null ? [] : [Math.log(each.value)]));
  return logs.reduce((sum, each) => sum + each, 0) / logs.length;
}
