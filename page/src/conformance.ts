// Codec × section of the format's specification: where it is not kept, at a glance.

import type { Conformance, Page } from "./data";
import { h, table } from "./dom";
import type { State } from "./state";
import { chosenCodecs } from "./view";

/** The share of a section's cases above which a fault is a slight one; as in the documentation's map. */
const NEARLY_ALL = 0.9;

/** The maps of the chosen run's formats, with the codecs that are shown. */
export function conformance(page: Page, state: State): HTMLElement | null {
  const shown = chosenCodecs(page, state);
  const maps = page.conformance
    .filter((map) => map.run === state.run)
    .map((map) => ({ map, codecs: Object.keys(map.codecs).filter((codec) => shown.has(codec)) }))
    .filter(({ codecs }) => codecs.length > 0);
  if (maps.length === 0) return null;
  return h("div", {}, ...maps.flatMap(({ map, codecs }) => [made(map, codecs), notes(map)]));
}

function made(map: Conformance, codecs: string[]): HTMLElement {
  const caption = `${map.format}: cases that come out as ${map.specification} says`;
  const body = codecs.map((codec) => [
    codec,
    ...map.codecs[codec]!.map(([good, decided], n) => square(good, decided, map.sections[n]!)),
  ]);
  return table(caption, ["codec", ...map.sections], body, { class: "heat sections" });
}

/** The figure of a section, shaded where a case does not conform, the more so where many do not. */
function square(good: number, decided: number, section: string): HTMLElement {
  if (decided === 0)
    return h("span", { class: "square none", title: `${section}: it decides no case of this codec` }, "–");
  const kind = good === decided ? "whole" : good >= NEARLY_ALL * decided ? "nearly" : "broken";
  const title = `${section}: ${good} of ${decided} cases are as it says`;
  return h("span", { class: `square ${kind}`, title }, good === decided ? "✓" : `${good}/${decided}`);
}

function notes(map: Conformance): HTMLElement {
  return h("ul", { class: "quiet" }, ...map.notes.map((each) => h("li", {}, each)));
}
