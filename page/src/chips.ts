// What the reader needs: chips that leave out every codec without it.

import type { Codec, Page } from "./data";
import { h } from "./dom";
import type { State, Store } from "./state";
import { fits, needs } from "./view";

interface Chip {
  name: string;
  title: string;
  meaning: string;
  has: (codec: Codec) => boolean;
}

export function chips(page: Page, store: Store): HTMLElement {
  const { state } = store;
  const codecs = [...page.codecs.values()].filter((codec) => !codec.floor);
  const languages = distinct(codecs.map((codec) => codec.language));
  const formats = distinct(codecs.map((codec) => codec.format ?? "").filter(Boolean));
  const toggled = (key: "need" | "language" | "format", name: string): void => {
    const had = state[key].includes(name);
    store.change({ [key]: had ? state[key].filter((each) => each !== name) : [...state[key], name] });
  };
  const row = (label: string, key: "need" | "language" | "format", offered: Chip[]): HTMLElement | null =>
    offered.length < 2 && key !== "need"
      ? null
      : h(
          "div",
          { class: "chips", role: "group", "aria-label": label },
          h("span", { class: "chips-label" }, label),
          ...offered.map((chip) => made(chip, state[key].includes(chip.name), () => toggled(key, chip.name))),
        );
  const counted = (key: "language" | "format", name: string, of: (codec: Codec) => string): Chip => ({
    name,
    title: `${name} ${codecs.filter((codec) => of(codec) === name && fits(page, state, codec, key)).length}`,
    meaning: `only ${name}`,
    has: () => true,
  });
  return h(
    "div",
    {},
    row("I need", "need", needs(page)),
    row(
      "Language",
      "language",
      languages.map((name) => counted("language", name, (codec) => codec.language)),
    ),
    row(
      "Format",
      "format",
      formats.map((name) => counted("format", name, (codec) => codec.format ?? "")),
    ),
    h("p", { class: "quiet", role: "status" }, told(page, state, codecs)),
  );
}

function made(chip: Chip, pressed: boolean, toggle: () => void): HTMLElement {
  return h(
    "button",
    {
      type: "button",
      class: "chip",
      "aria-pressed": String(pressed),
      title: chip.meaning,
      "data-chip": chip.name,
      on: { click: toggle },
    },
    chip.title,
  );
}

function told(page: Page, state: State, codecs: Codec[]): string {
  const left = codecs.filter((codec) => fits(page, state, codec)).length;
  if (left === codecs.length) return `All ${left} codec variants are shown.`;
  if (left === 0) return "No codec has all of this. Deselect something.";
  return `${left} of ${codecs.length} codec variants have what you need; the others are hidden below.`;
}

function distinct(values: string[]): string[] {
  return [...new Set(values)].sort();
}
