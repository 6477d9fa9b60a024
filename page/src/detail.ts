// Everything of one codec, in a dialog that the address names.

import { type Cell, cellOperation, type Codec, nameOf, type Page } from "./data";
import { h, link, table } from "./dom";
import { bytes, duration, interval, ratio, rounded } from "./numbers";
import type { State, Store } from "./state";

let open: HTMLDialogElement | undefined;

/** Opens, changes or closes the dialog, as the address says. */
export function detail(page: Page, store: Store): void {
  const codec = page.codecs.get(store.state.codec);
  open?.remove();
  open = undefined;
  if (!codec) return;
  const close = (): void => store.change({ codec: "" });
  open = h(
    "dialog",
    {
      class: "detail",
      "aria-label": codec.id,
      on: { close, click: (event) => event.target === open && close() },
    },
    h(
      "form",
      { method: "dialog", class: "close" },
      h("button", { type: "submit", "aria-label": "close" }, "✕"),
    ),
    h("h2", {}, codec.id),
    codec.summary && h("p", {}, `${codec.summary}${codec.variant ? `: ${codec.variant}` : ""}.`),
    facts(page, codec, store.state),
    h(
      "p",
      { class: "buttons" },
      ...names(page, codec, store.state).map((name) =>
        h(
          "button",
          { type: "button", on: { click: () => store.change({ base: name, codec: "" }) } },
          `Show ratios to ${name}`,
        ),
      ),
    ),
    operations(page, codec, store.state),
    costs(page, codec, store.state),
    codec.mapping && mapping(codec.mapping),
  );
  document.body.append(open);
  open.showModal();
}

function names(page: Page, codec: Codec, state: State): string[] {
  const own = page.cells.filter((cell) => cell.run === state.run && cell.codec === codec.id && cell.time_ns);
  return [...new Set(own.map(nameOf))];
}

function facts(page: Page, codec: Codec, state: State): HTMLElement {
  const { checks, hostile } = codec;
  const told: [string, Node | string][] = [
    ["language", codec.language],
    ["format", codec.format ?? "unknown"],
    ["library version", codec.versions[state.run] ?? "unknown"],
    ["licence", codec.licence ?? "unknown"],
    [
      "linked",
      codec.dynamic
        ? "dynamically: the library exists only as a shared one"
        : "statically, or as usual for its language",
    ],
    [
      "its format",
      codec.features.map((name) => page.words.features[name] ?? name).join("; ") ||
        "none of the listed features",
    ],
    [
      "decoding checks",
      checks === null
        ? "unknown"
        : checks.map((name) => page.words.checks[name] ?? name).join("; ") || "nothing",
    ],
    [
      "hostile messages",
      hostile === null ? "not tried" : hostile.length ? `can cause: ${hostile.join(", ")}` : "no harm",
    ],
  ];
  if (codec.conforms.length) told.push(["conforms to", codec.conforms.join(", ")]);
  if (codec.lossy) told.push(["lossy by design", codec.lossy]);
  if (codec.maintenance) told.push(["maintenance", codec.maintenance]);
  if (codec.reviewed) told.push(["review", codec.reviewed]);
  if (codec.homepage) told.push(["homepage", link(codec.homepage)]);
  return h(
    "dl",
    { class: "facts" },
    ...told.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

function operations(page: Page, codec: Codec, state: State): HTMLElement {
  const own = page.cells.filter(
    (cell) =>
      cell.run === state.run &&
      cell.codec === codec.id &&
      (!state.workload || cell.workload === state.workload),
  );
  return table(
    "All measurements: time and allocations per message, with reused and fresh buffers and objects",
    ["operation", "workload", "time", "95 % interval", "ratio to the best", "rank", "allocated", "rounds"],
    own.map((cell) => [cellOperation(cell), cell.workload, ...figures(cell)]),
  );
}

function figures(cell: Cell): (string | number)[] {
  if (!cell.time_ns) return [cell.reason || cell.status.replace("_", " "), "", "", "", "", ""];
  const messages = cell.messages || 1;
  const per = (value: number | null): number | null => (value === null ? null : value / messages);
  return [
    duration(cell.time_ns / messages),
    interval(per(cell.time_low_ns), per(cell.time_high_ns), duration),
    ratio(cell.ratio_best),
    cell.rank === 0 ? "does not compete" : `${cell.rank ?? "–"}${cell.unsteady ? "~" : ""}`,
    cell.allocated_bytes === null ? "–" : bytes(cell.allocated_bytes / messages),
    `${cell.rounds} (${cell.disturbed_samples} of ${cell.samples} samples disturbed)`,
  ];
}

const UNITS: [ending: string, said: (value: number) => string][] = [
  ["_ns", duration],
  ["_bytes", bytes],
  ["_hz", (value) => `${rounded(value)} messages/s`],
  ["_ratio", (value) => `${rounded(100 * value)} %`],
  ["", rounded],
];

/** The name of a cost, without the unit, which stands with the figure. */
function titleOf(cost: string): string {
  return cost.replace(/_(ns|bytes|hz|ratio)$/, "").replaceAll("_", " ");
}

function costs(page: Page, codec: Codec, state: State): HTMLElement | null {
  const own = page.costs.filter(
    (each) =>
      each.run === state.run &&
      each.codec === codec.id &&
      each.cost !== "wire_bytes" &&
      (!state.workload || each.workload === state.workload),
  );
  if (!own.length) return null;
  return table(
    "Other costs: instructions and memory per pass, single calls, threads, compile time, what is shipped",
    ["what", "workload", "operation", "figure"],
    own.map((each) => [
      titleOf(each.cost) + (each.threads ? `, ${each.threads} at once` : ""),
      each.workload,
      each.operation ? `${each.operation}:${each.memory ?? ""}` : "",
      UNITS.find(
        ([ending]) => each.cost.endsWith(ending) || (ending === "_bytes" && each.cost.includes("bytes")),
      )![1](each.value),
    ]),
  );
}

function mapping(mapped: Record<string, string>): HTMLElement {
  return table("How types are mapped", ["type", "mapped to"], Object.entries(mapped));
}
