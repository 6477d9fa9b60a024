// Times of filters, beside the figures of reading a part: computed, not measured.

import type { Filter, Page } from "./data";
import { h, table } from "./dom";
import type { State } from "./state";
import { chosenCodecs } from "./view";

/** The tables of the chosen workload's filters, or of those that it is a part of. */
export function filters(page: Page, state: State): HTMLElement | null {
  const own = page.filters.filter(
    (each) => each.run === state.run && (!state.workload || each.workloads.includes(state.workload)),
  );
  return own.length
    ? h("div", { class: "answer" }, ...own.flatMap((each) => shown(page, state, each)))
    : null;
}

function shown(page: Page, state: State, filter: Filter): HTMLElement[] {
  const codecs = chosenCodecs(page, state);
  const rows = filter.rows.filter((_row, n) => codecs.has(filter.codecs[n]!));
  return [
    h("dl", {}, ...filter.verdict.flatMap((each) => [h("dt", {}, each.label), h("dd", {}, each.text)])),
    rows.length
      ? table(filter.title, filter.headings, rows)
      : h("p", { class: "quiet" }, `${filter.title}. Nothing to show: hidden by your choices.`),
    h("ul", { class: "quiet" }, ...filter.notes.map((each) => h("li", {}, each))),
  ];
}
