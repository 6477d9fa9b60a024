// Size against time: the chart, which pictures of `serbench plot` share, and what it tells when pointed at.

import type { View } from "vega";
import spec from "../../src/serbench/report/charts/specs/scatter.json";
import { type Chart, drawn, savers, set } from "./chart";
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
export async function scatter(page: Page, store: Store, place: HTMLElement): Promise<void> {
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
    savers(() => view, `size-against-time-${state.workload} ${state.operation}`),
  );
  view = drawn(filled(shown, store), canvas, place, HEIGHT);
  canvas.setAttribute(
    "aria-label",
    `Size against time of ${shown.length} codecs. ${told ? `Best in both: ${told}.` : ""} ` +
      "The table has every figure.",
  );
  view.addEventListener("click", (_event, item) => {
    const codec = (item?.datum as { codec?: string } | undefined)?.codec;
    if (codec) store.change({ codec });
  });
  await view.runAsync();
}

/** The shared chart with these points. */
function filled(shown: Point[], store: Store): Chart {
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
  if (!shown.some((each) => each.front)) unavoided(made, "frontier");
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
  return made;
}

/** Takes a mark from those that names keep away from, since Vega fails at one that has no items. */
function unavoided(chart: Chart, name: string): void {
  for (const transform of chart.marks.flatMap((mark) => mark.transform ?? []))
    if (transform.avoidMarks) transform.avoidMarks = transform.avoidMarks.filter((each) => each !== name);
}
