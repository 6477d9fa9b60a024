// The page: its parts from top to bottom, each drawn anew when what it shows was changed.

import "tabulator-tables/dist/css/tabulator.min.css";
import "./style.css";
import { chips } from "./chips";
import { compared } from "./compared";
import { conformance } from "./conformance";
import { Lined } from "./curve";
import { cellOperation, nameOf, type Page, read } from "./data";
import { detail } from "./detail";
import { h, select } from "./dom";
import { filters } from "./filters";
import { heat } from "./heat";
import { answer, load, START } from "./load";
import { lines } from "./lines";
import { machines } from "./machines";
import { method } from "./method";
import { walkable } from "./parts";
import { published } from "./published";
import { scatter } from "./scatter";
import { type State, Store } from "./state";
import { GROUPS, SORTS, table } from "./table";
import { themeButton } from "./theme";
import { verdict } from "./verdict";
import { sizes } from "./wire";

type Key = keyof State;

const FOLLOW_MS = 3000;

const CHOICE: Key[] = ["run", "workload", "operation", "need", "language", "format"];
const FOR_LOAD: Key[] = ["rate", "reads", "cores", "network"];

/**
 * A part of the page: where it is, what it follows from, and what it shows; nothing where there is nothing to
 * say.
 */
interface Part {
  id: string;
  title: string;
  of: Key[];
  made: () => HTMLElement | null;
}

function usual(page: Page): State {
  const run = page.runs[0]!;
  const operations = [...new Set(page.cells.filter((cell) => cell.run === run.id).map(cellOperation))];
  const first = operations.find((each) => each.startsWith("serialize:")) ?? operations[0] ?? "";
  return {
    run: run.id,
    workload: run.workloads[0]?.name ?? "",
    operation: first,
    need: [],
    language: [],
    format: [],
    search: "",
    base: "",
    group: "",
    sort: "time-asc",
    codec: "",
    ...START,
    compressor: "",
  };
}

/** Draws the page; fulfilled when nothing of it is still to be drawn. */
function begin(page: Page): Promise<unknown> {
  const store = new Store(usual(page));
  const place = document.getElementById("page")!;
  const parts: Part[] = [
    { id: "verdict", title: "Verdict", of: ["run", "workload"], made: () => verdict(page, store.state) },
    {
      id: "needs",
      title: "What do you need?",
      of: ["need", "language", "format"],
      made: () => chips(page, store),
    },
    {
      id: "filters",
      title: "Reading only what matches, computed",
      of: CHOICE,
      made: () => filters(page, store.state),
    },
    { id: "load", title: "At my load", of: [...CHOICE, "compressor"], made: () => load(page, store) },
    { id: "machines", title: "Every machine", of: CHOICE, made: () => machines(page, store) },
    { id: "heat", title: "Every workload", of: CHOICE, made: () => heat(page, store) },
    {
      id: "sizes",
      title: "Sizes before and after compression",
      of: CHOICE,
      made: () => sizes(page, store.state),
    },
    {
      id: "published",
      title: "Published figures and ours",
      of: ["run", "workload"],
      made: () => published(page, store.state),
    },
    {
      id: "conformance",
      title: "Does it keep to its format?",
      of: CHOICE,
      made: () => conformance(page, store.state),
    },
    { id: "compared", title: "Runs compared", of: CHOICE, made: () => compared(page, store.state) },
    {
      id: "method",
      title: "How this was measured, and how to read it",
      of: ["run"],
      made: () => method(page, store.state),
    },
  ];
  const places = new Map(parts.map((part) => [part.id, section(part.id, part.title)]));
  const chart = h("div", { id: "scatter" });
  const curves = h("div", { id: "curves" });
  const grid = h("div", { id: "grid" });
  const legend = h("ul", { class: "quiet", id: "ways" });
  const choices = h("div", { class: "fields", id: "choices" });
  const wholeTable = h("div", { class: "fields", id: "table-choices" });
  const charted = section("chart", "Size against time");
  charted.append(chart);
  const curved = section("curve", "Time over the share of fields read");
  curved.append(curves);
  const calls = h("div", { id: "calls" });
  const called = section("called", "The slowest of many calls");
  called.append(calls);
  const lined = [new Lined(page, store, curved, curves, false), new Lined(page, store, called, calls, true)];
  const tabled = section("table", "All figures");
  tabled.append(wholeTable, h("p", { class: "quiet", id: "count", role: "status" }), grid, legend);
  const [first, needs, filtered, ...others] = [...places.values()];
  const drawCharts = (): Promise<unknown> =>
    Promise.all([scatter(page, store, chart), ...lined.map((each) => each.draw())]);
  const theme = themeButton(() => void drawCharts());
  const findings = [...place.querySelectorAll<HTMLElement>(".finding")];
  findings.forEach(walkable);
  const head = h("header", {}, h("h1", {}, page.title), theme);
  place.replaceChildren(
    head,
    ...findings,
    choices,
    first!,
    needs!,
    charted,
    curved,
    called,
    filtered!,
    tabled,
    ...others,
    foot(page),
  );

  const draw = async (changed: Set<Key> | null): Promise<void> => {
    const drawing: Promise<unknown>[] = [];
    const has = (keys: Key[]): boolean => changed === null || keys.some((key) => changed.has(key));
    if (has(["run", "workload", "operation"])) choices.replaceChildren(...chosen(page, store));
    if (has([...CHOICE, "group", "sort", "base"])) keepingFocus(wholeTable, () => tableChoices(page, store));
    for (const part of parts) if (has(part.of)) fill(places.get(part.id)!, part.made());
    if (has(CHOICE) || has(["base"])) drawing.push(drawCharts());
    if (has([...CHOICE, "search", "group", "sort", "base"])) {
      drawing.push(table(page, store, grid));
      legend.replaceChildren(...notes(page, store.state).map((each) => h("li", {}, each)));
      document.getElementById("count")!.textContent = counted(page, store.state);
    }
    if (changed && has(FOR_LOAD) && !has(CHOICE)) {
      document.getElementById("load-answer")?.replaceChildren(answer(page, store.state));
    }
    if (has(["codec"])) detail(page, store);
    await Promise.all(drawing);
  };
  store.listen((_state, changed) => void draw(changed));
  shortcuts();
  return draw(null);
}

/** A section with its heading; hidden while it holds nothing. */
function section(id: string, title: string): HTMLElement {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title));
}

/** Puts what a part shows below its heading; what the reader has the focus on keeps it. */
function fill(place: HTMLElement, shown: HTMLElement | null): void {
  place.hidden = shown === null;
  const focused = document.activeElement as HTMLElement | null;
  const chip = place.contains(focused) ? focused?.dataset.chip : undefined;
  while (place.children.length > 1) place.lastElementChild!.remove();
  if (shown) place.append(shown);
  if (chip !== undefined) {
    [...place.querySelectorAll<HTMLElement>("[data-chip]")]
      .find((each) => each.dataset.chip === chip)
      ?.focus();
  }
}

function keepingFocus(place: HTMLElement, made: () => HTMLElement[]): void {
  const controls = (): HTMLElement[] => [...place.querySelectorAll<HTMLElement>("select, input")];
  const at = controls().indexOf(document.activeElement as HTMLElement);
  place.replaceChildren(...made());
  controls()[at]?.focus();
}

function chosen(page: Page, store: Store): HTMLElement[] {
  const { state } = store;
  const run = page.runs.find((each) => each.id === state.run);
  const operations = [...new Set(page.cells.filter((cell) => cell.run === state.run).map(cellOperation))];
  const runs = page.runs.map((each): [string, string] => [
    each.id,
    `${each.id}${each.suite ? `, suite ${each.suite}` : ""}`,
  ]);
  const workloads = (run?.workloads ?? []).map((each): [string, string] => [each.name, each.title]);
  const all: [string, string][] = [["", "all"]];
  return [
    ...(runs.length > 1 ? [select("run", runs, state.run, (id) => store.change({ run: id }))] : []),
    select(
      "workload",
      workloads.length > 1 ? [...workloads, ...all] : workloads,
      state.workload,
      (workload) => store.change({ workload, operation: operationOf(page, state, workload) }),
    ),
    select(
      "operation",
      [...operations.map((each): [string, string] => [each, said(page, each)]), ...all],
      state.operation,
      (operation) => store.change({ operation }),
    ),
  ];
}

/** The chosen operation, or the first one that was measured with a workload; a part is only read. */
function operationOf(page: Page, state: State, workload: string): string {
  const own = page.cells.filter((cell) => cell.run === state.run && cell.workload === workload);
  const measured = new Set(own.map(cellOperation));
  const kept = !workload || !state.operation || measured.has(state.operation);
  return kept ? state.operation : ([...measured][0] ?? state.operation);
}

/** The meaning of ways and their marks, where the chosen workload reads a part. */
function notes(page: Page, state: State): string[] {
  const run = page.runs.find((each) => each.id === state.run);
  return run?.workloads.find((each) => each.name === state.workload)?.notes ?? [];
}

/** An operation with what it does: of `page.words`, up to the first semicolon. */
function said(page: Page, operation: string): string {
  const meaning = page.words.operations[operation.split(":")[0]!]?.split(";")[0];
  return meaning ? `${operation}: ${meaning}` : operation;
}

function tableChoices(page: Page, store: Store): HTMLElement[] {
  const { state } = store;
  const names = [
    ...new Set(page.cells.filter((cell) => cell.run === state.run && cell.time_ns).map(nameOf)),
  ].sort();
  const search = h("input", {
    type: "search",
    value: state.search,
    placeholder: "name, format, reason …",
    on: { input: (event) => store.change({ search: (event.target as HTMLInputElement).value }, true) },
  });
  return [
    h("label", { class: "field" }, h("span", {}, "search"), search),
    select("sort", withOwn(SORTS, state.sort), state.sort, (sort) => store.change({ sort })),
    select("group", GROUPS, state.group, (group) => store.change({ group })),
    select(
      "ratios to",
      [["", "the best"], ...names.map((name): [string, string] => [name, name])],
      state.base,
      (base) => store.change({ base }),
    ),
  ];
}

/** The choices, with the one that was made by a click on a heading. */
function withOwn(offered: [string, string][], own: string): [string, string][] {
  return offered.some(([value]) => value === own) ? offered : [...offered, [own, own.replace("-", ", ")]];
}

function counted(page: Page, state: State): string {
  const shown = lines(page, state);
  const withStatus = (...all: string[]): number =>
    shown.filter((each) => all.includes(each.cell.status)).length;
  const waiting = withStatus("waiting");
  const missing = shown.length - withStatus("ok", "waiting");
  const told = [`${shown.length} rows`];
  if (waiting) told.push(`${waiting} still to be measured`);
  if (missing) told.push(`${missing} without a figure, each with the reason`);
  return `${told.join(", ")}.`;
}

/** `/` goes to the search, as on other pages of tables. */
function shortcuts(): void {
  addEventListener("keydown", (event) => {
    const typing =
      event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    document.querySelector<HTMLElement>("input[type=search]")?.focus();
  });
}

function foot(page: Page): HTMLElement {
  return h(
    "footer",
    { class: "quiet" },
    `Made by serbench ${page.serbench}. This file needs no network. Its address (#…) stores your ` +
      "choices, so a link shows the same view.",
  );
}

/** A page that its own server writes anew while a run is going on is loaded again when there is more. */
function follow(): void {
  if (document.documentElement.dataset.follows !== "yes") return;
  let first = "";
  const look = async (): Promise<void> => {
    const version = await fetch("/version").then((answer) => (answer.ok ? answer.text() : first));
    first ||= version;
    // Not while somebody types or reads a dialog.
    const busy = document.querySelector("dialog[open], input:focus, select:focus") !== null;
    if (version !== first && !busy && !document.hidden) location.reload();
  };
  setInterval(() => void look().catch(() => undefined), FOLLOW_MS);
}

read()
  .then((page) => {
    const drawn = begin(page);
    follow();
    return drawn;
  })
  .then(() => {
    // Not before: a click on a row that is drawn anew meanwhile is lost.
    document.documentElement.dataset.ready = "yes";
  })
  .catch((error: unknown) => {
    const place = document.getElementById("starting") ?? document.body;
    const told = error instanceof Error ? error.message : String(error);
    place.textContent =
      `This page cannot be shown: ${told}. It needs a browser of 2023 or later; ` +
      "serbench show prints the same.";
    console.error(error);
  });
