// The part that all charts share: Vega draws them in the colours of the theme, and saves them as images.

import { parse, View, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { h } from "./dom";

/** What is filled in of a chart that pictures of `serbench plot` share. */
export interface Chart {
  scales: { name: string; type: string; zero?: boolean; range?: unknown }[];
  data: { name: string; values?: unknown[] }[];
  signals: { name: string; value?: unknown }[];
  marks: { transform?: { avoidMarks?: string[] }[] }[];
}

const THEMED = { ink: "ink", quiet: "quiet", line: "line", paper: "paper", front: "accent" };

export function set(chart: Chart, signal: string, value: unknown): void {
  const found = chart.signals.find((each) => each.name === signal);
  if (found) found.value = value;
}

/** A view that draws a chart into `canvas` when it runs, as wide as `place` has room. */
export function drawn(chart: Chart, canvas: HTMLElement, place: HTMLElement, height: number): View {
  const style = getComputedStyle(document.documentElement);
  for (const [signal, name] of Object.entries(THEMED))
    set(chart, signal, style.getPropertyValue(`--${name}`).trim());
  const width = Math.max(Math.min(place.clientWidth, 1100), 300);
  const spec = { ...chart, width, height } as unknown as Spec;
  return new View(parse(spec, undefined, { ast: true }), {
    renderer: "svg",
    container: canvas,
    hover: true,
    expr: expressionInterpreter,
  });
}

/** Buttons that save the chart that is drawn then, as files of this name. */
export function savers(view: () => View | undefined, name: string): HTMLElement {
  const button = (kind: "svg" | "png"): HTMLElement =>
    h(
      "button",
      { type: "button", "data-save": kind, on: { click: () => void save(view(), kind, name) } },
      `Save as ${kind.toUpperCase()}`,
    );
  return h("p", { class: "buttons" }, button("svg"), button("png"));
}

async function save(view: View | undefined, kind: "svg" | "png", name: string): Promise<void> {
  if (!view) return;
  const address =
    kind === "svg"
      ? URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" }))
      : await view.toImageURL("png", 2);
  const anchor = h("a", { href: address, download: `${fileName(name)}.${kind}` });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Names of workloads may be longer than those of files. */
function fileName(name: string): string {
  return name.replace(/[^\w.=-]+/g, "-").slice(0, 150);
}
