// Time over the share of the fields that is read, or over the number of messages: the chart, which pictures
// of `serbench plot` share, and up to which share each codec takes less time than for every field.

import type { View } from "vega";
import spec from "../../src/serbench/report/charts/specs/curve.json";
import { type Chart, drawn, savers, set } from "./chart";
import type { Curves, Line, Page } from "./data";
import { h, visible } from "./dom";
import { duration, interval } from "./numbers";
import type { State, Store } from "./state";
import { chosenCodecs } from "./view";

const { logarithmic_from: LOGARITHMIC_FROM, most_lines: MOST_LINES, shapes: SHAPES } = spec.usermeta;

const HEIGHT = 400;

let view: View | undefined;

/** The curves of the chosen workload, or of that whose messages it reads a part of or has a number of. */
function chosenCurves(page: Page, state: State): Curves | undefined {
  const own = page.curves.filter(
    (each) =>
      each.run === state.run && (each.workload === state.workload || each.parts.includes(state.workload)),
  );
  return own.find((each) => each.operation === state.operation) ?? own[0];
}

/** Draws the chart into a place below the heading of `section`, which is hidden where there is none. */
export function curve(page: Page, store: Store, section: HTMLElement, place: HTMLElement): void {
  view?.finalize();
  view = undefined;
  const { state } = store;
  const found = chosenCurves(page, state);
  const codecs = chosenCodecs(page, state);
  const lines = found?.lines.filter((each) => codecs.has(each.codec)) ?? [];
  section.hidden = !found;
  const over = visible(found?.over ?? "");
  section.querySelector("h2")!.textContent = `Time over the ${over}`;
  if (!found || !lines.length) {
    place.replaceChildren(h("p", { class: "quiet" }, "Nothing to show: hidden by your choices."));
    return;
  }
  const shown = lines.slice(0, MOST_LINES);
  const left = lines.length - shown.length;
  const canvas = h("div", {
    class: "chart",
    role: "img",
    "aria-label":
      `Time of ${shown.length} codecs over the ${over}. ` + "The list and the table say the same.",
  });
  place.replaceChildren(
    canvas,
    h("ul", {}, ...[...said(lines), ...found.said].map((each) => h("li", {}, visible(each)))),
    h(
      "p",
      { class: "quiet" },
      left > 0 && `The first ${shown.length} are drawn, and ${left} more are not. `,
      `${found.legend} Click a point for details.`,
    ),
    savers(
      () => view,
      `time-over-${found.in_messages ? "messages" : "fields"}-${found.workload} ${found.operation}`,
    ),
  );
  view = drawn(filled(shown, found), canvas, place, HEIGHT);
  view.addEventListener("click", (_event, item) => {
    const codec = (item?.datum as { codec?: string } | undefined)?.codec;
    if (codec) store.change({ codec });
  });
}

/** A sentence for each thing that is said of lines, with their names; as `told` in Python. */
function said(lines: Line[]): string[] {
  const names = new Map<string, string[]>();
  for (const each of lines) {
    if (each.words) names.set(each.words, [...(names.get(each.words) ?? []), each.name]);
  }
  return [...names].map(([words, own]) => `${own.join(", ")}: ${words}.`);
}

/** The shared chart with these lines; `drawn` in Python does the same for pictures. */
function filled(lines: Line[], curves: Curves): Chart {
  const made = structuredClone(spec) as unknown as Chart;
  const values = lines.flatMap((line) =>
    line.points.map((each) => ({
      x: each.share,
      y: each.time,
      low: each.low,
      high: each.high,
      below: each.below,
      label: visible(line.label),
      codec: line.codec,
      told: `${visible(line.label)}: ${duration(each.time)} (${interval(each.low, each.high, duration)})`,
    })),
  );
  const times = values.map((each) => each.y);
  const logarithmic = Math.max(...times) > LOGARITHMIC_FROM * Math.min(...times);
  const scale = (name: string): Chart["scales"][number] => made.scales.find((each) => each.name === name)!;
  scale("y").type = logarithmic ? "log" : "linear";
  scale("y").zero = !logarithmic;
  scale("shape").range = lines.map((line) => SHAPES[line.way as keyof typeof SHAPES] ?? "circle");
  made.data.find((each) => each.name === "points")!.values = values;
  made.data.find((each) => each.name === "caches")!.values = curves.caches;
  set(made, "yLog", logarithmic);
  set(made, "inMessages", curves.in_messages);
  set(made, "over", visible(curves.over));
  set(made, "one", curves.one);
  set(
    made,
    "shares",
    [...new Set(values.map((each) => each.x))].sort((a, b) => a - b),
  );
  return made;
}
