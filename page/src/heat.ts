// Codec × workload: who is how far from the best in each, at a glance.

import { cellOperation, nameOf, type Page } from "./data";
import { h, shortened, table } from "./dom";
import { ratio } from "./numbers";
import type { Store } from "./state";
import { chosenCells } from "./view";

const MOST_COLUMNS = 40;

/** Ratios to the best under one operation; the darker, the further behind. */
export function heat(page: Page, store: Store): HTMLElement | null {
  const { state } = store;
  const operation = state.operation || page.cells.map(cellOperation)[0] || "";
  const cells = chosenCells(page, state, { workload: "", operation });
  const workloads = [...new Set(cells.map((cell) => cell.workload))];
  if (workloads.length < 2) return null;
  const columns = workloads.slice(0, MOST_COLUMNS);
  const byName = new Map<string, Map<string, (typeof cells)[number]>>();
  for (const cell of cells) {
    const name = nameOf(cell);
    if (!byName.has(name)) byName.set(name, new Map());
    byName.get(name)!.set(cell.workload, cell);
  }
  const mean = (name: string): number => {
    const logs = [...byName.get(name)!.values()].flatMap((cell) =>
      cell.ratio_best === null ? [] : [Math.log(cell.ratio_best)],
    );
    return logs.length ? logs.reduce((sum, each) => sum + each, 0) / logs.length : Infinity;
  };
  const names = [...byName.keys()].sort((a, b) => mean(a) - mean(b));
  const body = names.map((name) => [
    shortened(name, 60),
    ...columns.map((workload) => square(byName.get(name)!.get(workload))),
  ]);
  const caption = `Ratio to the best of each workload: ${operation}`;
  const left = workloads.length - columns.length;
  return h(
    "div",
    {},
    table(caption, ["codec", ...columns.map((each) => shortened(each, 40))], body, { class: "heat" }),
    left > 0 && h("p", { class: "quiet" }, `${left} more workloads are not shown; choose one above.`),
  );
}

function square(
  cell: { ratio_best: number | null; rank: number | null; reason: string | null } | undefined,
): HTMLElement {
  if (!cell || cell.ratio_best === null) {
    return h("span", { class: "square none", title: shortened(cell?.reason ?? "not in this run", 300) }, "–");
  }
  // One step for each doubling; what is 64 times as slow, or more, has the last.
  const step = Math.max(0, Math.min(6, Math.round(Math.log2(cell.ratio_best))));
  const first = cell.rank === 1 ? ", no codec is faster" : "";
  return h(
    "span",
    { class: `square step-${step}`, title: `${ratio(cell.ratio_best)}${first}` },
    ratio(cell.ratio_best),
  );
}
