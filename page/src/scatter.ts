// Size against time: the chart, which pictures of `serbench plot` share, its images and what it tells when
// pointed at.

import { parse, View, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import spec from "../../src/serbench/report/charts/specs/scatter.json";
import { nameOf, type Page } from "./data";
import { h, shortened, visible } from "./dom";
import { bytes, duration, interval } from "./numbers";
import type { Store } from "./state";
import { chosenCells, type Point, points } from "./view";

/** From which ratio of longest to shortest a scale is logarithmic, and the longest name; as in pictures. */
const { logarithmic_from: LOGARITHMIC_FROM, longest_label: LONGEST_LABEL } = spec.usermeta;

const HEIGHT = 460;

let view: View | undefined;

/** Draws the chart of the chosen workload and operation into a place, in the colours of the theme. */
export function scatter(page: Page, store: Store, place: HTMLElement): void {
  view?.finalize();
  view = undefined;
  const { state } = store;
  if (!state.workload || !state.operation) {
    place.replaceChildren(
      h("p", { class: "quiet" }, "Choose one workload and one operation to see this chart."),
    );
    return;
  }
  const shown = points(chosenCells(page, state)).filter((each) => each.x > 0 && each.y > 0);
  if (!shown.length) {
    place.replaceChildren(
      h("p", { class: "quiet" }, "Nothing to show: not measured, or hidden by your choices."),
    );
    return;
  }
  const canvas = h("div", { class: "chart", role: "img" });
  const front = shown.filter((each) => each.front).sort((a, b) => a.x - b.x);
  const told = front.map((each) => nameOf(each.cell)).join(", ");
  place.replaceChildren(
    canvas,
    h(
      "p",
      { class: "quiet" },
      told && `On the line, beaten by no other codec in both size and time: ${told}. `,
      "Vertical bars are 95 % intervals. Click a point for details. Names that would overlap are hidden.",
    ),
    h(
      "p",
      { class: "buttons" },
      ...(["svg", "png"] as const).map((kind) =>
        h(
          "button",
          {
            type: "button",
            "data-save": kind,
            on: { click: () => void save(kind, `${state.workload} ${state.operation}`) },
          },
          `Save as ${kind.toUpperCase()}`,
        ),
      ),
    ),
  );
  view = new View(parse(filled(shown, store), undefined, { ast: true }), {
    renderer: "svg",
    container: canvas,
    hover: true,
    expr: expressionInterpreter,
  });
  canvas.setAttribute(
    "aria-label",
    `Size against time of ${shown.length} codecs. ${told ? `Best in both: ${told}.` : ""} ` +
      "The table has every figure.",
  );
  view.addEventListener("click", (_event, item) => {
    const codec = (item?.datum as { codec?: string } | undefined)?.codec;
    if (codec) store.change({ codec });
  });
  void view.runAsync();
}

/** What is filled in of the shared chart. */
interface Chart {
  scales: { name: string; type: string }[];
  data: { name: string; values?: unknown[] }[];
  signals: { name: string; value?: unknown }[];
}

/** The shared chart with these points, as wide as its place. */
function filled(shown: Point[], store: Store): Spec {
  const made = structuredClone(spec) as unknown as Chart;
  for (const [name, get] of [
    ["x", (each: Point) => each.x],
    ["y", (each: Point) => each.y],
  ] as const) {
    const values = shown.map(get);
    const scale = made.scales.find((each) => each.name === name)!;
    const logarithmic = Math.max(...values) > LOGARITHMIC_FROM * Math.min(...values);
    scale.type = logarithmic ? "log" : "linear";
    set(made, `${name}Log`, logarithmic);
  }
  made.data.find((each) => each.name === "points")!.values = shown.map((each) => ({
    x: each.x,
    y: each.y,
    low: each.low,
    high: each.high,
    front: each.front,
    codec: each.cell.codec,
    language: each.cell.codec.split("/")[0],
    label: shortened(visible(nameOf(each.cell)), LONGEST_LABEL),
    told:
      `${visible(nameOf(each.cell))}: ${bytes(each.x)}, ` +
      `${duration(each.y)} (${interval(each.low, each.high, duration)})`,
    chosen: nameOf(each.cell) === store.state.base,
  }));
  const style = getComputedStyle(document.documentElement);
  const theme = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  for (const [signal, name] of Object.entries(THEMED)) set(made, signal, theme(name));
  const room = document.getElementById("scatter")?.clientWidth ?? 0;
  return { ...made, width: Math.max(Math.min(room, 1100), 300), height: HEIGHT } as unknown as Spec;
}

function set(chart: Chart, signal: string, value: unknown): void {
  chart.signals.find((each) => each.name === signal)!.value = value;
}

const THEMED = { ink: "ink", quiet: "quiet", line: "line", paper: "paper", front: "accent" };

async function save(kind: "svg" | "png", title: string): Promise<void> {
  if (!view) return;
  const address =
    kind === "svg"
      ? URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" }))
      : await view.toImageURL("png", 2);
  const name = title.replace(/[^\w.=-]+/g, "-");
  const anchor = h("a", { href: address, download: `size-against-time-${name}.${kind}` });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
