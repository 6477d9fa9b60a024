// The table: one line for each cell that is shown, with bars and intervals, ties as bands, and reasons where
// there is no figure.

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
  type CellComponent,
  type ColumnDefinition,
  type RowComponent,
} from "tabulator-tables";
import { type Cell, cellOperation, nameOf, type Page } from "./data";
import { h, shortened, visible } from "./dom";
import { bytes, duration, interval, ratio, rounded } from "./numbers";
import type { State, Store } from "./state";
import { basesOf, besideKey, chosenCells, relative } from "./view";

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

/**
 * From which ratio of longest to shortest times are dots on a logarithmic scale: the shortest bars would be a
 * pixel.
 */
const LOGARITHMIC_FROM = 30;

/** The width that `style.css` calls narrow. */
const NARROW = "(width <= 640px)";

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

type Sorter = NonNullable<ColumnDefinition["sorter"]>;

/** Sorts by numbers; what has none always comes last. */
const byNumber: Sorter = (a: number | null, b: number | null, _a, _b, _column, direction) => {
  if (a === null || b === null) {
    if (a === b) return 0;
    return (a === null ? 1 : -1) * (direction === "asc" ? 1 : -1);
  }
  return a - b;
};

function columns(store: Store): ColumnDefinition[] {
  const figure = { hozAlign: "right", sorter: byNumber, headerHozAlign: "right" } as const;
  const all: ColumnDefinition[] = [
    { title: "#", field: "rank", width: 58, ...figure, formatter: (cell) => rank(data(cell)) },
    {
      title: "codec",
      field: "name",
      widthGrow: 3,
      minWidth: 170,
      frozen: true,
      sorter: "string",
      formatter: (cell) => name(data(cell), store),
    },
    {
      title: "workload",
      field: "workload",
      minWidth: 120,
      sorter: "string",
      formatter: (cell) => plain(cell),
    },
    {
      title: "operation",
      field: "operation",
      minWidth: 150,
      sorter: "string",
      formatter: (cell) => plain(cell),
    },
    {
      title: "format",
      field: "format",
      minWidth: 90,
      sorter: "string",
      formatter: (cell) => plain(cell),
    },
    {
      title: "size",
      field: "size",
      width: 104,
      ...figure,
      formatter: (cell) => h("span", {}, bytes(data(cell).size)),
    },
    {
      title: "time per message",
      field: "time",
      widthGrow: 5,
      minWidth: 230,
      sorter: byNumber,
      formatter: (cell) => timed(data(cell)),
      formatterPrint: (cell) => told(data(cell)),
    },
    {
      title: "ratio",
      field: "ratio",
      width: 92,
      ...figure,
      formatter: (cell) => {
        const each = data(cell);
        const said = interval(each.ratioLow, each.ratioHigh, ratio);
        return h("span", { title: said && `95 % interval: ${said}` }, ratio(each.ratio));
      },
    },
    {
      title: "way",
      field: "way",
      width: 84,
      sorter: "string",
      formatter: (cell) => h("span", { title: data(cell).cell.way_reason ?? "" }, data(cell).way),
    },
    {
      title: "of every field",
      field: "everything",
      width: 140,
      ...figure,
      formatter: (cell) => ofEverything(data(cell)),
    },
    {
      title: "MB/s",
      field: "cell.mb_per_s",
      width: 84,
      ...figure,
      formatter: (cell) => {
        const value = data(cell).cell.mb_per_s;
        return h("span", {}, value === null ? "–" : rounded(value));
      },
    },
  ];
  const shown = matchMedia(NARROW).matches ? narrowed(all) : all;
  return shown.map((column) => ({ ...column, titleFormatter: () => heading(column.title) }));
}

/** The same for a narrow screen, with room for three columns: rank, name and time come first, then ways. */
function narrowed(all: ColumnDefinition[]): ColumnDefinition[] {
  const widths: Record<string, Partial<ColumnDefinition>> = {
    rank: { width: 44 },
    name: { minWidth: 150 },
    time: { minWidth: 176 },
  };
  const places: Record<string, number> = { way: 1, format: 3 };
  const place = (column: ColumnDefinition): number =>
    column.field! in widths ? 0 : (places[column.field!] ?? 2);
  return [...all]
    .sort((a, b) => place(a) - place(b))
    .map((column) => ({ ...column, ...widths[column.field!] }));
}

/** A heading that the keyboard reaches: its click is that of the column. */
function heading(title: string): HTMLElement {
  return h("button", { type: "button", class: "heading", title: `sort by ${title}` }, title);
}

function data(cell: CellComponent): Line {
  return cell.getData() as Line;
}

function plain(cell: CellComponent): HTMLElement {
  const value = visible(String(cell.getValue() ?? ""));
  return h("span", { title: value }, shortened(value, 60));
}

function rank(each: Line): HTMLElement {
  const { cell } = each;
  if (cell.rank === 0 && each.reference)
    return h("span", { title: `a reference, ${each.reference}, which does not compete` }, "ref");
  if (cell.rank === 0)
    return h("span", { title: "the floor: a plain copy of the bytes, which does not compete" }, "floor");
  if (!cell.rank) return h("span", {}, "");
  const why = cell.unsteady ? "its order among those of its rank is not known, since times vary; " : "";
  const title = `${why}equal ranks are too close to call`;
  const marks = `${cell.unsteady ? "~" : ""}${cell.constant_time_view ? "°" : ""}`;
  return h("span", { title }, `${cell.rank}${marks}`);
}

function name(each: Line, store: Store): HTMLElement {
  return h(
    "button",
    {
      type: "button",
      class: "codec",
      title: visible(shortened(each.name, 300)),
      "data-codec": each.cell.codec,
      on: {
        click: (event) => {
          event.stopPropagation();
          store.change({ codec: each.cell.codec });
        },
      },
    },
    shortened(each.name, 60),
  );
}

/** The share of the time of reading every field, as the terminal has it. */
function ofEverything(each: Line): HTMLElement {
  if (each.cell.way_reason) return h("span", {}, "all");
  const percent = (value: number): string => `${rounded(100 * value)} %`;
  const said = interval(each.cell.everything_low, each.cell.everything_high, percent);
  const text = each.everything === null ? "–" : percent(each.everything);
  return h("span", { title: said && `95 % interval: ${said}` }, text);
}

/** The time with its interval, drawn against those that it is ranked among; or why there is none. */
function timed(each: Line): HTMLElement {
  if (each.time === null) {
    const why = each.why || each.cell.status.replace("_", " ");
    return h("span", { class: "why", title: visible(shortened(why, 1000)) }, shortened(why, 160));
  }
  const marks = [
    each.cell.constant_time_view &&
      "a constant-time view, which does not read the message; ranked separately",
    each.cell.undercuts_floor && "faster than a plain copy: look closer",
    2 * each.cell.unsettled_rounds >= each.cell.rounds && "still warming up when timing began",
  ].filter((mark) => mark !== false);
  const said = interval(each.low, each.high, duration);
  return h(
    "span",
    { class: "timed", title: [said && `95 % interval: ${said}`, ...marks].filter(Boolean).join("; ") },
    h("span", { class: "figure" }, `${duration(each.time)}${marks.length ? " *" : ""}`),
    drawn(each, each.time),
  );
}

/** A bar, or where times differ by much a dot on a logarithmic scale, as `serbench plot` draws them. */
function drawn(each: Line, time: number): HTMLElement {
  const { shortest, longest } = each.among;
  const logarithmic = longest > LOGARITHMIC_FROM * shortest;
  const place = (value: number): number =>
    logarithmic
      ? (98 * Math.log(value / shortest)) / Math.log(longest / shortest) + 1
      : (100 * value) / longest;
  const low = place(each.low ?? time);
  const reach = h("span", { class: "reach" });
  reach.style.left = `${low}%`;
  reach.style.width = `${place(each.high ?? time) - low}%`;
  const mark = h("span", { class: logarithmic ? "dot" : "fill" });
  if (logarithmic) mark.style.left = `${place(time)}%`;
  else mark.style.width = `${place(time)}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, mark, reach);
}

/** The same on paper, where nothing can be pointed at. */
function told(each: Line): HTMLElement {
  if (each.time === null) return h("span", {}, shortened(each.why, 200));
  const said = interval(each.low, each.high, duration);
  return h("span", {}, `${duration(each.time)}${said && ` (${said})`}`);
}
