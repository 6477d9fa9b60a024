// How the figures came about: machine, tools, commands, and what they mean.

import type { Page } from "./data";
import { h, table } from "./dom";
import type { State } from "./state";

const MEANING = [
  "A time is the mean over rounds without the lowest and highest fifth. Each round uses fresh processes, " +
    "in a new random order.",
  "A 95 % interval contains the true figure in about 95 of 100 such runs on this machine. It says " +
    "nothing about other machines.",
  "Codecs with equal ranks are too close to call: their difference may be due to chance. " +
    "Treat them as equal. With ~, their order is not known.",
  "A ratio to the best is taken within each round, so whatever slows down the whole machine for a while " +
    "cancels out.",
  "Every codec was verified: what it wrote was read back and compared value by value, before and after " +
    "timing.",
  "reuse: buffers and objects are used again for the next message. fresh: new ones for each message.",
];

export function method(page: Page, state: State): HTMLElement {
  const run = page.runs.find((each) => each.id === state.run);
  if (!run) return h("div", {});
  const workloads = run.workloads.map((each) => [
    each.name,
    each.messages === null ? "–" : each.messages.toLocaleString("en"),
    each.canonical_bytes === null ? "–" : each.canonical_bytes.toLocaleString("en"),
    each.sha256.slice(0, 16),
  ]);
  const tools = run.toolchains.map((each) => [
    each.name,
    each.compiler || each.missing || "–",
    [each.flags, each.linking].filter(Boolean).join(", ") || "–",
    Object.entries(each.libraries)
      .map(([codec, version]) => `${codec} ${version}`)
      .join(", ") || "–",
  ]);
  return h(
    "div",
    {},
    h("ul", {}, ...MEANING.map((each) => h("li", {}, each))),
    run.method.length > 0 && h("h3", {}, "Notes on this run"),
    h("ul", {}, ...run.method.map((each) => h("li", {}, each))),
    h(
      "dl",
      { class: "facts" },
      ...[
        ["run", run.id],
        ["started", run.started],
        ["measured by", run.measured_by],
        ...Object.entries(run.machine),
      ].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    table("Data", ["workload", "messages", "canonical bytes", "sha256"], workloads),
    tools.length > 0 && table("Tools and libraries", ["toolchain", "compiler", "flags", "libraries"], tools),
    h("h3", {}, "Reproduce it"),
    run.command && h("p", {}, "The measurement: ", h("code", {}, run.command)),
    h("p", {}, "This page: ", h("code", {}, page.reproduce)),
  );
}
