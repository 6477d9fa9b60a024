// The colour of a ratio: as in the heat maps of `serbench plot`, whose settings it shares.

import settings from "../../src/serbench/report/charts/specs/heat.json";
import { h, shortened } from "./dom";
import { ratio } from "./numbers";

/** Up to how many machines have columns of their own; as in pictures. */
export const MOST_MACHINES = settings.most_machines;

const LEGEND_STEPS = 24;

/** What a square shows: how many times as long as the best of its column, or why there is none. */
export interface Shaded {
  value: number | null;
  first: boolean;
  floor: boolean;
  view: boolean;
  reason: string;
}

/** The ratio that has the last colour: the greatest, within bounds. */
export function topOf(values: number[]): number {
  return Math.min(Math.max(1, settings.least_top, ...values), settings.most_top);
}

/** On a logarithmic scale from 1 to `top`, between the two nearest colours of it. */
export function colourOf(value: number, top: number): string {
  const colours = settings.colours;
  const share = Math.min(Math.max(Math.log(value) / Math.log(top), 0), 1);
  const place = share * (colours.length - 1);
  const low = Math.min(Math.floor(place), colours.length - 2);
  const [from, to] = [parts(colours[low]!), parts(colours[low + 1]!)];
  const mixed = from.map((each, n) => Math.round(each + (to[n]! - each) * (place - low)));
  return `#${mixed.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

/** Black or white, whichever has more contrast on a colour (WCAG 2). */
function inkOn(colour: string): string {
  const linear = parts(colour)
    .map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff";
}

function parts(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** A square with its figure; hatched without one, and grey where the codec does not compete. */
export function square(shaded: Shaded, top: number): HTMLElement {
  const { value, first, floor, view } = shaded;
  if (value === null) {
    return h("span", { class: "square none", title: shortened(shaded.reason, 300) }, "–");
  }
  const text = `${ratio(value)}${view ? "°" : ""}`;
  if (floor) return h("span", { class: "square floor", title: `${text}, which does not compete` }, text);
  const colour = colourOf(value, top);
  const title = `${text}${first ? ", rank 1" : ""}`;
  return h(
    "span",
    { class: `square${first ? " first" : ""}`, style: `background:${colour};color:${inkOn(colour)}`, title },
    text,
  );
}

/** What the colours mean. */
export function legend(what: string, top: number): HTMLElement {
  const steps = Array.from({ length: LEGEND_STEPS }, (_, n) => top ** (n / (LEGEND_STEPS - 1)));
  const end = `${ratio(top)}${top >= settings.most_top ? " or more" : ""}`;
  return h(
    "p",
    { class: "quiet shades" },
    h("span", {}, `${what}, logarithmic: ×1`),
    h(
      "span",
      { class: "bar-of-shades", "aria-hidden": "true" },
      ...steps.map((each) => h("span", { style: `background:${colourOf(each, top)}` })),
    ),
    h("span", {}, `${end}.`),
    h("span", { class: "square none", "aria-hidden": "true" }, "–"),
    h("span", {}, "no figure"),
  );
}
