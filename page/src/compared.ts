// Several runs: how the figures of a later one differ from those of the first, and what else differs between
// the two.

import { nameOf, type Page } from "./data";
import { h, shortened, table } from "./dom";
import { duration, interval, ratio } from "./numbers";
import type { State } from "./state";
import { chosenCodecs } from "./view";

const MOST_ROWS = 200;

export function compared(page: Page, state: State): HTMLElement | null {
  if (!page.comparisons.length) return null;
  const codecs = chosenCodecs(page, state);
  return h(
    "div",
    {},
    ...page.comparisons.map(({ before, after, cells, notes }) => {
      const shown = cells.filter(
        (cell) =>
          codecs.has(cell.codec) &&
          (!state.workload || cell.workload === state.workload) &&
          (!state.operation || cell.operation === state.operation || cell.computed),
      );
      const changed = shown.filter((cell) => cell.verdict !== "too close to call");
      const counts = `${shown.length} cells, of which ${changed.length} changed.`;
      return h(
        "section",
        {},
        h("h3", {}, `From ${before} to ${after}`),
        h("p", {}, shown.length ? counts : "The two runs have no such cell in common."),
        shown.length > 0 &&
          table(
            `${before} → ${after}; a ratio above 1 is slower`,
            ["codec", "workload", "operation", "before", "after", "ratio", "95 % interval", "verdict"],
            shown
              .slice(0, MOST_ROWS)
              .map((cell) => [
                shortened(nameOf(cell), 60),
                cell.workload,
                cell.operation + (cell.computed ? ", computed" : ""),
                duration(cell.before_ns),
                duration(cell.after_ns),
                ratio(cell.ratio),
                interval(cell.low, cell.high, (value) => value.toFixed(3)),
                h("span", { class: cell.regression ? "bad" : "" }, cell.verdict),
              ]),
          ),
        shown.length > MOST_ROWS &&
          h("p", { class: "quiet" }, `${shown.length - MOST_ROWS} that changed less are not shown.`),
        h("ul", {}, ...notes.map((note) => h("li", {}, note))),
      );
    }),
  );
}
