// Codec × workload: who is how far from the best in each, at a glance.

import { type Cell, cellOperation, nameOf, type Page } from "./data";
import { h, shortened, table } from "./dom";
import { legend, type Shaded, square, topOf } from "./shade";
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
  const byName = new Map<string, Map<string, Cell>>();
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
  const top = topOf(cells.flatMap((cell) => (cell.rank === 0 ? [] : [cell.ratio_best ?? 1])));
  const body = names.map((name) => [
    shortened(name, 60),
    ...columns.map((workload) => square(shaded(byName.get(name)!.get(workload)), top)),
  ]);
  const caption = `Ratio to the best of each workload: ${operation}`;
  const left = workloads.length - columns.length;
  return h(
    "div",
    {},
    legend("Times as long as the best of the workload", top),
    table(caption, ["codec", ...columns.map((each) => shortened(each, 40))], body, { class: "heat" }),
    left > 0 && h("p", { class: "quiet" }, `${left} more workloads are not shown; choose one above.`),
  );
}

function shaded(cell: Cell | undefined): Shaded {
  return {
    value: cell?.ratio_best ?? null,
    first: cell?.rank === 1,
    floor: cell?.rank === 0,
    view: cell?.constant_time_view ?? false,
    reason: cell?.reason ?? "not in this run",
  };
}
