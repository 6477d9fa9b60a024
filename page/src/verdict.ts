// The answer on top, and whether to trust it.

import type { Page, Run, Workload } from "./data";
import { h } from "./dom";
import type { State } from "./state";

const BADGES = {
  yes: "You can trust these figures",
  "with care": "Read these figures with care",
  no: "Do not rely on these figures",
};

/** The verdict on the chosen workload; where all are chosen, on each in turn. */
export function verdict(page: Page, state: State): HTMLElement {
  const run = page.runs.find((each) => each.id === state.run);
  if (!run) return h("p", {}, `There is no run ${state.run} on this page.`);
  const workloads = run.workloads.filter((each) => !state.workload || each.name === state.workload);
  const shown = workloads.slice(0, 5).map((each) => answer(run, each, workloads.length > 1));
  const more = workloads.length - shown.length;
  return h("div", {}, ...shown, more > 0 && h("p", { class: "quiet" }, `${more} more: choose a workload.`));
}

function answer(run: Run, workload: Workload, named: boolean): HTMLElement {
  // The first line is the trust in words, which the badge has.
  const said = workload.verdict.slice(1);
  return h(
    "div",
    { class: "answer" },
    named && h("h3", {}, workload.name),
    h("dl", {}, ...said.flatMap((each) => [h("dt", {}, each.label), h("dd", {}, each.text)])),
    badge(run, workload),
  );
}

/** Whether the figures are to be trusted; opens into why. */
function badge(run: Run, workload: Workload): HTMLElement {
  const { level, reasons } = workload.trust;
  const why = [
    ...reasons,
    ...(run.ended ? [] : ["The run is not finished: it was stopped, or is still being measured."]),
    ...run.damaged.map((each) => `Damaged, and left out: ${each}`),
    ...run.toolchains.filter((each) => each.missing).map((each) => `${each.name}: ${each.missing}`),
  ];
  const measured = `Measured on ${Object.entries(run.machine)
    .map(([name, value]) => `${name}: ${value}`)
    .join("; ")}.`;
  return h(
    "details",
    { class: `badge ${level.replace(" ", "-")}` },
    h("summary", {}, BADGES[level]),
    h("ul", {}, ...[...new Set(why)].map((each) => h("li", {}, each)), h("li", {}, measured)),
  );
}
