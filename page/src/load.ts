// At my load: how many cores and how much network each codec takes at the reader's rate of messages, from
// measured figures only.

import { type Cell, nameOf, type Page, type Wire } from "./data";
import { h, select, table } from "./dom";
import { bytes, duration, rounded } from "./numbers";
import type { State, Store } from "./state";
import { chosenCells, chosenWire } from "./view";

export interface Load {
  /** Messages a second, of which `reads` (a share) are read and the others written. */
  rate: number;
  reads: number;
  cores: number;
  /** Bits a second. */
  network: number;
}

/** Nanoseconds and bytes of one message, as they were measured. */
export interface Figures {
  name: string;
  codec: string;
  write: number;
  read: number;
  compress: number;
  decompress: number;
  bytes: number;
}

export interface Need {
  figures: Figures;
  /** Cores that are busy. */
  cores: number;
  /** Bits a second. */
  network: number;
  /** Messages a second that the given cores, or the given network, allow at most. */
  mostByCores: number;
  mostByNetwork: number;
  bottleneck: "cores" | "network";
  fits: boolean;
}

/**
 * What a load takes; a share `reads` of messages costs reading and decompressing, the rest writing and
 * compressing.
 */
export function needed(figures: Figures, load: Load): Need {
  const reading = figures.read + figures.decompress;
  const writing = figures.write + figures.compress;
  const seconds = (load.reads * reading + (1 - load.reads) * writing) / 1e9;
  const cores = load.rate * seconds;
  const network = load.rate * figures.bytes * 8;
  const mostByCores = load.cores / seconds;
  const mostByNetwork = load.network / (figures.bytes * 8);
  return {
    figures,
    cores,
    network,
    mostByCores,
    mostByNetwork,
    bottleneck: mostByCores <= mostByNetwork ? "cores" : "network",
    fits: cores <= load.cores && network <= load.network,
  };
}

/** The load to begin with: half of it read, on one core; how many messages follows from the figures. */
export const START = { rate: 0, reads: 50, cores: 1, network: 1000 };

const PLAIN = "";

const MOST_ROWS = 30;

/**
 * What was measured of every codec that is shown, in writing and in reading, under the memory policy that is
 * chosen.
 */
export function figures(page: Page, state: State): Figures[] {
  const memory = state.operation.split(":")[1] ?? "reuse";
  const of = (operation: string): Map<string, Cell> => {
    const found = chosenCells(page, state, { operation: `${operation}:${memory}` });
    return new Map(
      found.filter((cell) => cell.time_ns && cell.rank !== 0).map((cell) => [nameOf(cell), cell]),
    );
  };
  const reading = of("deserialize");
  const wire = wires(page, state);
  return [...of("serialize")].flatMap(([name, write]) => {
    const read = reading.get(name);
    if (!read || !write.ns_per_message || !read.ns_per_message) return [];
    const plain = { name, codec: write.codec, write: write.ns_per_message, read: read.ns_per_message };
    if (state.compressor === PLAIN) {
      return [{ ...plain, compress: 0, decompress: 0, bytes: write.bytes_per_message! }];
    }
    const packed = wire.get(name);
    if (!packed || packed.size === null || packed.compress_ns === null || packed.decompress_ns === null)
      return [];
    return [{ ...plain, compress: packed.compress_ns, decompress: packed.decompress_ns, bytes: packed.size }];
  });
}

/** The rate to begin with: a round number that half of the codecs can handle; 0 without figures. */
export function suggested(page: Page, state: State): number {
  const start = loadOf({ ...state, ...START }, 0);
  const most = figures(page, state)
    .map((each) => needed(each, start))
    .map((need) => Math.min(need.mostByCores, need.mostByNetwork))
    .sort((a, b) => b - a);
  return most.length ? round(most[Math.ceil(most.length / 2) - 1]!) : 0;
}

/** The greatest of 1, 2 and 5 times a power of ten that is not above a value. */
function round(value: number): number {
  const exponent = Math.floor(Math.log10(value));
  const lead = [5, 2, 1].find((each) => each * 10 ** exponent <= value) ?? 1;
  return Number(`${lead}e${exponent}`);
}

function wires(page: Page, state: State): Map<string, Wire> {
  const [compressor, parcel] = state.compressor.split("/");
  const found = chosenWire(page, state).filter(
    (each) => each.compressor === compressor && each.parcel === parcel,
  );
  return new Map(found.map((each) => [nameOf(each), each]));
}

/** The compressors that the run measured, each with what it compresses at once. */
function compressors(page: Page, state: State): [string, string][] {
  const found = chosenWire(page, state).filter((each) => each.compressor && each.size !== null);
  const names = [...new Set(found.map((each) => `${each.compressor}/${each.parcel}`))];
  return [
    [PLAIN, "none"],
    ...names.map((name): [string, string] => {
      const [compressor, parcel] = name.split("/");
      return [name, `${compressor}, ${parcel === "block" ? "blocks of messages" : "each message alone"}`];
    }),
  ];
}

export function load(page: Page, store: Store): HTMLElement {
  const { state } = store;
  const offered = compressors(page, state);
  const form = h(
    "div",
    { class: "fields" },
    number(
      "messages a second",
      state.rate || suggested(page, state),
      1000,
      (rate) => store.change({ rate }, true),
      "rate",
    ),
    number(
      "of these read, %",
      state.reads,
      5,
      (reads) => store.change({ reads: Math.min(reads, 100) }, true),
      "reads",
    ),
    number("cores for it", state.cores, 1, (cores) => store.change({ cores }, true), "cores"),
    number("network, Mbit/s", state.network, 100, (network) => store.change({ network }, true), "network"),
    select("compression", offered, state.compressor, (compressor) => store.change({ compressor })),
  );
  return h("div", {}, form, h("div", { id: "load-answer", role: "status" }, answer(page, state)));
}

function loadOf(state: State, suggestion: number): Load {
  return {
    rate: state.rate || suggestion,
    reads: state.reads / 100,
    cores: state.cores,
    network: state.network * 1e6,
  };
}

/** The part below the fields, which changes while somebody types. */
export function answer(page: Page, state: State): HTMLElement {
  const suggestion = suggested(page, state);
  const given = loadOf(state, suggestion);
  if (!state.workload)
    return h("p", { class: "quiet" }, "Choose one workload: the load is calculated for its messages.");
  const needs = figures(page, state)
    .map((each) => needed(each, given))
    .sort((a, b) => Number(b.fits) - Number(a.fits) || a.cores - b.cores);
  if (!needs.length) {
    return h(
      "p",
      { class: "quiet" },
      "This needs the times of serialize and deserialize, which this run does not have for any codec shown.",
    );
  }
  const fit = needs.filter((each) => each.fits);
  const short = fit.slice(0, 3).map((each) => each.figures.name);
  const said = fit.length
    ? `${fit.length} of ${needs.length} codecs can handle this load. Fewest cores: ${short.join(", ")}.`
    : `No codec can handle this load. ${needs[0]!.figures.name} needs the ` +
      `fewest cores, but is limited by ${needs[0]!.bottleneck}.`;
  return h(
    "div",
    {},
    h("p", { class: "said" }, said),
    !state.rate &&
      h(
        "p",
        { class: "quiet" },
        `To begin with: ${rounded(suggestion)} messages a second, half of them read, which half of the ` +
          `codecs shown can handle on one core and ${rounded(START.network)} Mbit/s. Type your own.`,
      ),
    compressors(page, state).length < 2 &&
      h("p", { class: "quiet" }, "To include compression, measure it: --metric wire."),
    table(
      "Cores and network for this load",
      ["codec", "cores busy", "network", "max messages/s", "limited by", "sufficient"],
      needs
        .slice(0, MOST_ROWS)
        .map((need) => [
          need.figures.name,
          rounded(need.cores),
          `${rounded(need.network / 1e6)} Mbit/s`,
          rounded(Math.min(need.mostByCores, need.mostByNetwork)),
          need.bottleneck,
          need.fits ? "yes" : "no",
        ]),
    ),
    needs.length > MOST_ROWS &&
      h(
        "p",
        { class: "quiet" },
        `${needs.length - MOST_ROWS} more codecs need more cores and are not shown; ` +
          'filter them under "What do you need?".',
      ),
    arithmetic(fit[0] ?? needs[0]!, given),
  );
}

/** The sum of the first line, with its numbers. */
function arithmetic(need: Need, given: Load): HTMLElement {
  const { figures: each } = need;
  const packing = each.compress ? ` + ${duration(each.compress)} to compress` : "";
  const unpacking = each.decompress ? ` + ${duration(each.decompress)} to decompress` : "";
  const share = (value: number): string => `${rounded(100 * value)} %`;
  return h(
    "details",
    {},
    h("summary", {}, "Calculation"),
    h(
      "p",
      {},
      `For ${each.name}: ${rounded(given.rate)} messages a second × `,
      `(${share(given.reads)} × (${duration(each.read)} to read${unpacking}) + `,
      `${share(1 - given.reads)} × (${duration(each.write)} to write${packing})) = `,
      `${rounded(need.cores)} cores busy. `,
      `${rounded(given.rate)} × ${bytes(each.bytes)} × 8 bits = ${rounded(need.network / 1e6)} Mbit/s.`,
    ),
    h(
      "p",
      { class: "quiet" },
      "Times and sizes are as measured, on one otherwise idle core and for the messages alone: ",
      "no protocol headers, no queueing, no other work of your program. ",
      "This is the minimum cost of serialization itself.",
    ),
  );
}

function number(
  label: string,
  value: number,
  step: number,
  change: (value: number) => void,
  name: string,
): HTMLElement {
  const input = h("input", {
    type: "number",
    min: 0,
    step,
    value,
    name,
    on: { input: (event) => change(Math.max(0, Number((event.target as HTMLInputElement).value) || 0)) },
  });
  return h("label", { class: "field" }, h("span", {}, label), input);
}
