// The columns of the table, and what is drawn in each: bars and intervals, or the reason why there is no
// figure.

import type { CellComponent, ColumnDefinition } from "tabulator-tables";
import { h, shortened, visible } from "./dom";
import type { Line } from "./lines";
import { bytes, duration, interval, ratio, rounded } from "./numbers";
import type { Store } from "./state";

/**
 * From which ratio of longest to shortest times are dots on a logarithmic scale: the shortest bars would be a
 * pixel.
 */
const LOGARITHMIC_FROM = 30;

/** The width that `style.css` calls narrow. */
const NARROW = "(width <= 640px)";

type Sorter = NonNullable<ColumnDefinition["sorter"]>;

/** Sorts by numbers; what has none always comes last. */
const byNumber: Sorter = (a: number | null, b: number | null, _a, _b, _column, direction) => {
  if (a === null || b === null) {
    if (a === b) return 0;
    return (a === null ? 1 : -1) * (direction === "asc" ? 1 : -1);
  }
  return a - b;
};

/** The columns, for a screen of this width; a click on a codec opens its details. */
export function columns(store: Store): ColumnDefinition[] {
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

/** The columns of a narrow screen, which has room for three: rank, name and time come first, then ways. */
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

/** The time as it is printed, where nothing can be pointed at. */
function told(each: Line): HTMLElement {
  if (each.time === null) return h("span", {}, shortened(each.why, 200));
  const said = interval(each.low, each.high, duration);
  return h("span", {}, `${duration(each.time)}${said && ` (${said})`}`);
}
