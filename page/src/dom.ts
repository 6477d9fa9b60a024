// Elements, made of texts that stay texts.

type Child = Node | string | number | null | undefined | false;

interface Given {
  class?: string;
  id?: string;
  title?: string;
  [attribute: `aria-${string}` | `data-${string}`]: string;
  on?: Record<string, (event: Event) => void>;
  [attribute: string]: unknown;
}

/**
 * An element with attributes and children. Strings become text nodes: nothing of the data is ever parsed as
 * HTML.
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  given: Given = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key === "on") {
      for (const [event, listener] of Object.entries(given.on ?? {}))
        element.addEventListener(event, listener);
    } else if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(key, String(value));
    }
  }
  element.append(...children.filter(isShown).map(shown));
  return element;
}

function isShown(child: Child): child is Node | string | number {
  return child !== null && child !== undefined && child !== false;
}

function shown(child: Node | string | number): Node | string {
  return typeof child === "object" ? child : visible(String(child));
}

/**
 * A text whose characters that move the cursor, hide themselves or turn the direction of what follows are
 * seen in place of being obeyed; as serbench's terminal output has them.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (found) =>
    found === "\n" || found === "\t" ? found : `\\u{${found.codePointAt(0)!.toString(16)}}`,
  );
}

/** The beginning of a text that may be long; the whole is for a title or a detail. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 2)} …`;
}

/** A link only to what is a web page; anything else is its text. */
export function link(address: string): HTMLElement {
  const safe = /^https?:\/\//.test(address);
  return safe ? h("a", { href: address, rel: "noreferrer" }, address) : h("span", {}, address);
}

/**
 * A plain table with a caption; cells may be elements.
 *
 * @param groups headings above those of the columns after the first, each with how many columns it is of
 */
export function table(
  caption: string,
  headings: string[],
  body: Child[][],
  given: Given = {},
  groups: [string, number][] = [],
): HTMLElement {
  const head = h("tr", {}, ...headings.map((each) => h("th", { scope: "col" }, each)));
  const above = groups.map(([name, span]) =>
    h("th", { scope: "colgroup", colspan: span, class: "group" }, name),
  );
  const lines = body.map((line) =>
    h("tr", {}, ...line.map((cell, n) => (n === 0 ? rowHeading(cell) : h("td", {}, cell)))),
  );
  const made = h(
    "table",
    given,
    h("caption", {}, caption),
    h("thead", {}, above.length > 0 && h("tr", {}, h("td", {}), ...above), head),
    h("tbody", {}, ...lines),
  );
  return h("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": caption }, made);
}

/** A name breaks only after the characters that separate its parts. */
function rowHeading(cell: Child): HTMLElement {
  const parts = typeof cell === "string" ? cell.split(/(?<=[/:_])/) : [cell];
  return h("th", { scope: "row" }, ...parts.flatMap((part, n) => (n ? [h("wbr"), part] : [part])));
}

/** A labelled choice. */
export function select(
  label: string,
  options: [value: string, text: string][],
  chosen: string,
  choose: (value: string) => void,
): HTMLElement {
  const made = h(
    "select",
    { on: { change: (event) => choose((event.target as HTMLSelectElement).value) } },
    ...options.map(([value, text]) =>
      h("option", { value, selected: value === chosen }, shortened(text, 80)),
    ),
  );
  return h("label", { class: "field" }, h("span", {}, label), made);
}
