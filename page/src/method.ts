// How the figures came about: machine, tools, commands, and what they mean.

import type { Page } from "./data";
import { h, table } from "./dom";
import type { State } from "./state";

const MEANING = [
  "A time is the mean over rounds without the lowest and highest fifth; each round is made of fresh " +
    "processes, in an order of its own.",
  "An interval says where the figure would be found again in 95 of 100 such runs on this machine. It says " +
    "nothing of other machines.",
  "Codecs of one rank are too close to call: the difference between them is not larger than chance makes " +
    "it. Read them as equal.",
  "A ratio to the best is taken inside each round, so that what slows the whole machine down for a while " +
    "is in both and drops out.",
  "Every figure was verified: what a codec wrote was read back and compared, value by value, before and " +
    "after it was timed.",
  "Reuse means that buffers and objects are used again for the next message; fresh, that they are made " +
    "anew for each.",
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
    run.method.length > 0 && h("h3", {}, "Of this run"),
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
    h("h3", {}, "Again"),
    run.command && h("p", {}, "The same measurement: ", h("code", {}, run.command)),
    h("p", {}, "This page: ", h("code", {}, page.reproduce)),
  );
}
