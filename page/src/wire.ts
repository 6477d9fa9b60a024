// Sizes as encoded and as compressed.

import { nameOf, type Page } from "./data";
import { h, shortened, table } from "./dom";
import { bytes } from "./numbers";
import type { State } from "./state";
import { chosenCells, chosenWire } from "./view";

/** Bytes of a message: as encoded, and what each compressor leaves of it; the smallest first. */
export function sizes(page: Page, state: State): HTMLElement | null {
  if (!state.workload) return null;
  const plain = new Map<string, number>();
  for (const cell of chosenCells(page, state, { operation: "" })) {
    if (cell.bytes_per_message !== null && cell.rank !== 0) plain.set(nameOf(cell), cell.bytes_per_message);
  }
  if (!plain.size) return null;
  const wire = chosenWire(page, state).filter((each) => each.size !== null && each.compressor);
  const ways = [...new Set(wire.map((each) => `${each.compressor}\n${each.parcel}`))];
  const found = new Map(
    wire.map((each) => [`${nameOf(each)}\n${each.compressor}\n${each.parcel}`, each.size!]),
  );
  const names = [...plain.keys()].sort((a, b) => plain.get(a)! - plain.get(b)!);
  const least = (way: string): number =>
    Math.min(...names.map((name) => found.get(`${name}\n${way}`) ?? Infinity));
  const leastOf = new Map(ways.map((way) => [way, least(way)]));
  const leastPlain = Math.min(...plain.values());
  const headings = ways.map((way) => {
    const [compressor, parcel] = way.split("\n");
    return `${compressor}, ${parcel === "block" ? "blocks" : "each message"}`;
  });
  return table(
    "Bytes per message, encoded and compressed",
    ["codec", "encoded", ...headings],
    names.map((name) => [
      shortened(name, 60),
      figure(plain.get(name)!, leastPlain),
      ...ways.map((way) => {
        const size = found.get(`${name}\n${way}`);
        return size === undefined ? "–" : figure(size, leastOf.get(way)!);
      }),
    ]),
  );
}

function figure(size: number, least: number): HTMLElement {
  return h("span", { class: size === least ? "least" : "" }, bytes(size));
}
