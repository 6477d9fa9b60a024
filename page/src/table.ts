// The table: one line for each cell that is shown, sorted and grouped, with ties as bands.

import {
  ExportModule,
  FormatModule,
  FrozenColumnsModule,
  GroupRowsModule,
  InteractionModule,
  PrintModule,
  ResizeTableModule,
  SortModule,
  Tabulator,
  type RowComponent,
} from "tabulator-tables";
import { columns } from "./columns";
import type { Page } from "./data";
import { h, visible } from "./dom";
import { type Line, lines } from "./lines";
import type { State, Store } from "./state";

Tabulator.registerModule([
  ExportModule,
  FormatModule,
  FrozenColumnsModule,
  GroupRowsModule,
  InteractionModule,
  PrintModule,
  ResizeTableModule,
  SortModule,
]);

/** What can be sorted and grouped by. */
export const SORTS: [string, string][] = [
  ["time-asc", "fastest first"],
  ["time-desc", "slowest first"],
  ["size-asc", "smallest first"],
  ["size-desc", "largest first"],
  ["ratio-asc", "ratio"],
  ["name-asc", "name"],
];

export const GROUPS: [string, string][] = [
  ["", "not grouped"],
  ["language", "by language"],
  ["format", "by format"],
  ["workload", "by workload"],
  ["operation", "by operation"],
  ["rank", "by rank: too close to call"],
];

const SORTED = new Set([
  "rank",
  "name",
  "workload",
  "operation",
  "format",
  "size",
  "time",
  "ratio",
  "way",
  "everything",
  "cell.mb_per_s",
]);

let built: Promise<Tabulator> | undefined;

/** Draws the table, or brings it up to date; fulfilled when it shows what is chosen then. */
export async function table(page: Page, store: Store, place: HTMLElement): Promise<void> {
  built ??= build(store, place);
  const made = await built;
  const { state } = store; // as it is by now
  const found = lines(page, state);
  await made.replaceData(found);
  update(made, state, found);
}

/** The table without lines, once it is ready to take some. */
function build(store: Store, place: HTMLElement): Promise<Tabulator> {
  const made = new Tabulator(place, {
    columns: columns(store),
    layout: "fitColumns",
    maxHeight: "min(70vh, 44rem)", // of few rows, a table is as high as they are
    renderVerticalBuffer: 200,
    rowHeight: 34,
    placeholder: "No rows match your choices.",
    rowFormatter: (row) => banded(row),
    groupStartOpen: true,
    // Its types know strings only, which would be parsed as HTML; elements are taken as they are.
    groupHeader: (value, count) => groupHeader(value, count) as unknown as string,
    printAsHtml: true,
    printRowRange: "all",
    columnHeaderSortMulti: false,
  });
  made.on("headerClick", (_event, column) => {
    const [sorter] = made.getSorters();
    if (sorter) store.change({ sort: `${column.getField()}-${sorter.dir}` });
  });
  return new Promise((fulfil) => {
    made.on("tableBuilt", () => {
      // A grid holds nothing but rows; what scrolls them gets the focus by the buttons in them.
      place.querySelector(".tabulator-tableholder")?.removeAttribute("tabindex");
      fulfil(made);
    });
  });
}

function update(made: Tabulator, state: State, found: Line[]): void {
  const [field, direction] = state.sort.split("-") as [string, "asc" | "desc"];
  for (const name of ["workload", "operation"] as const) {
    if (state[name]) made.hideColumn(name);
    else made.showColumn(name);
  }
  // The speed would be of what is passed over, too.
  const ofParts = found.some((each) => each.way);
  for (const name of ["way", "everything"]) show(made, name, ofParts);
  show(made, "cell.mb_per_s", !ofParts);
  made.setGroupBy(state.group === "" ? (false as unknown as string) : state.group);
  made.redraw();
  if (SORTED.has(field)) made.setSort(field, direction === "desc" ? "desc" : "asc");
}

function show(made: Tabulator, column: string, shown: boolean): void {
  if (shown) made.showColumn(column);
  else made.hideColumn(column);
}

function groupHeader(value: unknown, count: number): HTMLElement {
  const what = value === null || value === "" ? "without" : visible(String(value));
  return h("span", {}, `${what} `, h("span", { class: "quiet" }, `(${count})`)) as HTMLElement;
}

/** A band for each tie group, so that what is too close to call is seen together. */
function banded(row: RowComponent): void {
  const { cell, among } = row.getData() as Line;
  const element = row.getElement();
  element.classList.toggle("even-tie", !!cell.rank && among.ranks.get(cell.rank)! % 2 === 0);
  element.classList.toggle("floor", cell.rank === 0);
  element.classList.toggle("missing", cell.status !== "ok");
}
