// Time over the share of the fields that is read, over the number of messages, or over quantiles of single
// calls: the chart, which pictures of `serbench plot` share, and what is said of its lines.

import type { View } from "vega";
import spec from "../../src/serbench/report/charts/specs/curve.json";
import { type Chart, drawn, savers, set } from "./chart";
import type { Curves, Line, Page } from "./data";
import { h, visible } from "./dom";
import { duration, interval } from "./numbers";
import type { Store } from "./state";
import { chosenCodecs } from "./view";

const { logarithmic_from: LOGARITHMIC_FROM, most_lines: MOST_LINES, shapes: SHAPES } = spec.usermeta;

const HEIGHT = 400;

/** A section with a chart of lines: of single calls, or of all else; hidden where there is none. */
export class Lined {
  private view: View | undefined;

  /** @param place where the chart goes, below the heading of `section` */
  constructor(
    private readonly page: Page,
    private readonly store: Store,
    private readonly section: HTMLElement,
    private readonly place: HTMLElement,
    private readonly ofCalls: boolean,
  ) {}

  async draw(): Promise<void> {
    this.view?.finalize();
    this.view = undefined;
    const { page, store, place } = this;
    const found = this.chosen();
    const codecs = chosenCodecs(page, store.state);
    const lines = found?.lines.filter((each) => codecs.has(each.codec)) ?? [];
    this.section.hidden = !found;
    this.section.querySelector("h2")!.textContent = visible(found?.heading ?? "");
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
        `Time of ${shown.length} codecs over the ${visible(found.over)}. ` +
        "The list and the tables say the same.",
    });
    place.replaceChildren(
      canvas,
      h("ul", {}, ...[...said(lines), ...found.said].map((each) => h("li", {}, visible(each)))),
      h(
        "p",
        { class: "quiet" },
        left > 0 && `The fastest ${shown.length} ${found.foremost} are drawn, and ${left} more are not. `,
        `${found.legend} Click a point for details.`,
      ),
      savers(() => this.view, `time-over-${found.kind}-${found.workload} ${found.operation}`),
    );
    this.view = drawn(filled(shown, found), canvas, place, HEIGHT);
    this.view.addEventListener("click", (_event, item) => {
      const codec = (item?.datum as { codec?: string } | undefined)?.codec;
      if (codec) store.change({ codec });
    });
    await this.view.runAsync();
  }

  /**
   * The lines of the chosen workload, or of that whose messages it reads a part of or has a number of; of the
   * chosen operation, or else with another memory policy, or else the first ones.
   */
  private chosen(): Curves | undefined {
    const { run, workload, operation } = this.store.state;
    const own = this.page.curves.filter(
      (each) =>
        each.run === run &&
        (each.kind === "calls") === this.ofCalls &&
        (each.workload === workload || each.parts.includes(workload)),
    );
    const name = (of: string): string => of.split(":")[0]!;
    return (
      own.find((each) => each.operation === operation) ??
      own.find((each) => name(each.operation) === name(operation)) ??
      own[0]
    );
  }
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
      piece: each.piece,
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
  set(made, "kind", curves.kind);
  set(made, "over", visible(curves.over));
  set(made, "one", curves.one);
  const shares = [...new Set(values.map((each) => each.x))].sort((a, b) => a - b);
  set(made, "shares", shares);
  const ticks = new Map(curves.ticks.map((each) => [each.x, each.name]));
  set(made, "ticks", ticks.size ? shares.map((each) => ticks.get(each) ?? "") : []);
  return made;
}
