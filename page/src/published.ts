// The published table beside ours.

import { type Cell, cellOperation, type Page, type Suite } from "./data";
import { h, table } from "./dom";
import { bytes, duration } from "./numbers";
import type { State } from "./state";

/**
 * The table of the chosen run's suite: what was published beside what was measured here, and what was wrong
 * with the published measurement.
 */
export function published(page: Page, state: State): HTMLElement | null {
  const run = page.runs.find((each) => each.id === state.run);
  const suite = page.suites.find((each) => each.name === run?.suite);
  if (!run || !suite) return null;
  const workloads = run.workloads
    .map((each) => each.name)
    .filter((name) => !state.workload || name === state.workload);
  return h(
    "div",
    {},
    h(
      "p",
      {},
      `${suite.summary}. Source: ${suite.source}. Published times (${suite.time_unit}) are per ` +
        "pass, and come from other machines and versions.",
    ),
    ...workloads.map((workload) => ofWorkload(page, state, suite, workload)),
    h("h3", {}, "Flaws of the published measurement that this one avoids"),
    h("ul", {}, ...suite.flaws.map((flaw) => h("li", {}, flaw))),
  );
}

function ofWorkload(page: Page, state: State, suite: Suite, workload: string): HTMLElement | null {
  const rows = suite.rows.filter((row) => row.published[workload]);
  if (!rows.length) return null;
  const operations = [...new Set(rows.flatMap((row) => Object.keys(row.published[workload]!.times)))];
  const cells = new Map<string, Cell>();
  for (const cell of page.cells) {
    if (cell.run === state.run && cell.workload === workload) {
      cells.set(`${cell.codec}\n${cellOperation(cell)}`, cell);
    }
  }
  const body = rows.map((row) => {
    const theirs = row.published[workload]!;
    const any = [...cells.values()].find((cell) => cell.codec === row.codec);
    return [
      h("span", { title: row.note }, row.name),
      bytes(theirs.size),
      bytes(any?.size_bytes ?? null),
      ...operations.flatMap((operation) => {
        const own = cells.get(`${row.codec}\n${operation}`);
        return [duration(theirs.times[operation] ?? null), own ? duration(own.time_ns) : "not in this run"];
      }),
    ];
  });
  const headings = operations.flatMap((operation) => [`${operation}, published`, "here"]);
  return table(`${suite.name}, ${workload}`, ["row", "size, published", "here", ...headings], body);
}
