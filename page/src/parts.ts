// The boxes of parts stand in the page already, as a nested list. This makes them a tree that keys walk, and
// tells the cost of the box that has the focus in the line below.

/** Makes a tree of each list of boxes in a place. */
export function walkable(place: HTMLElement): void {
  for (const list of place.querySelectorAll<HTMLElement>(".icicle")) tree(list);
}

function tree(list: HTMLElement): void {
  list.setAttribute("role", "tree");
  list.setAttribute("aria-label", list.dataset.label ?? "");
  const told = list.nextElementSibling as HTMLElement;
  const legend = told.textContent;
  for (const group of list.querySelectorAll("ul")) group.setAttribute("role", "group");
  for (const rest of list.querySelectorAll(".rest")) {
    rest.setAttribute("role", "none");
    rest.setAttribute("aria-hidden", "true");
  }
  const items = [...list.querySelectorAll<HTMLElement>("li:not(.rest)")];
  const look = (item: HTMLElement | null): void => {
    told.textContent = item ? item.getAttribute("aria-label") : legend;
  };
  for (const item of items) {
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-label", item.querySelector("span")!.title);
    item.tabIndex = item === items[0] ? 0 : -1;
    item.addEventListener("focus", () => look(item));
    item.addEventListener("blur", () => look(null));
    item.firstElementChild!.addEventListener("mouseenter", () => look(item));
    item.firstElementChild!.addEventListener("mouseleave", () => look(null));
    item.firstElementChild!.addEventListener("click", () => go(items, item));
  }
  list.addEventListener("keydown", (event) => {
    const at = (event.target as HTMLElement).closest<HTMLElement>("li")!;
    const aim = next(items, at, event.key);
    if (!aim) return;
    event.preventDefault();
    go(items, aim);
  });
}

/** The item to which a key leads, as in any tree: down and up in the order of reading, right into it. */
function next(items: HTMLElement[], at: HTMLElement, key: string): HTMLElement | null | undefined {
  const n = items.indexOf(at);
  if (key === "ArrowDown") return items[n + 1];
  if (key === "ArrowUp") return items[n - 1];
  if (key === "ArrowRight") return at.querySelector<HTMLElement>("li:not(.rest)");
  if (key === "ArrowLeft") return at.parentElement!.closest<HTMLElement>("li");
  if (key === "Home") return items[0];
  return key === "End" ? items[items.length - 1] : undefined;
}

function go(items: HTMLElement[], to: HTMLElement): void {
  for (const item of items) item.tabIndex = item === to ? 0 : -1;
  to.focus();
}
