// What the reader chose, kept in the address, so that a link brings the view back and the back button undoes
// a choice.

export interface State {
  run: string;
  /** Empty for all. */
  workload: string;
  /** With memory policy, such as `serialize:reuse`; empty for all. */
  operation: string;
  need: string[];
  language: string[];
  format: string[];
  search: string;
  /** The contender that ratios are to; empty for the best. */
  base: string;
  group: string;
  /** A column and its direction, such as `time-asc`. */
  sort: string;
  /** The codec whose details are open; empty for none. */
  codec: string;
  /** The fields of "at my load", from here on. */
  /** 0 for what the figures suggest. */
  rate: number;
  reads: number;
  cores: number;
  network: number;
  compressor: string;
}

const LISTS = ["need", "language", "format"] as const;
const NUMBERS = ["rate", "reads", "cores", "network"] as const;
const TEXTS = [
  "run",
  "workload",
  "operation",
  "search",
  "base",
  "group",
  "sort",
  "codec",
  "compressor",
] as const;

type Listener = (state: State, changed: Set<keyof State>) => void;

export class Store {
  private listeners: Listener[] = [];

  /** @param usual what the view is where the address says nothing */
  constructor(
    private readonly usual: State,
    public state: State = parsed(location.hash, usual),
  ) {
    addEventListener("popstate", () => this.become(parsed(location.hash, usual)));
    addEventListener("hashchange", () => this.become(parsed(location.hash, usual)));
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  /**
   * Changes the view.
   *
   * @param typed whether it is one of many changes while somebody types, which are one step of the back
   * button together
   */
  change(part: Partial<State>, typed = false): void {
    const next = { ...this.state, ...part };
    const hash = address(next, this.usual);
    if (hash !== location.hash.replace(/^#/, "")) {
      const target = hash ? `#${hash}` : location.pathname + location.search;
      if (typed) history.replaceState(null, "", target);
      else history.pushState(null, "", target);
    }
    this.become(next);
  }

  private become(next: State): void {
    const before = this.state;
    const keys = Object.keys(next) as (keyof State)[];
    const changed = new Set(keys.filter((key) => String(before[key]) !== String(next[key])));
    this.state = next;
    if (changed.size) for (const listener of this.listeners) listener(next, changed);
  }
}

/** The part of an address behind `#`; what is usual is left out. */
export function address(state: State, usual: State): string {
  const told = new URLSearchParams();
  for (const key of TEXTS) if (state[key] !== usual[key]) told.set(key, state[key]);
  for (const key of NUMBERS) if (state[key] !== usual[key]) told.set(key, String(state[key]));
  for (const key of LISTS) for (const each of state[key]) told.append(key, each);
  return told.toString();
}

/** The view that an address tells; what it does not tell, or tells wrongly, is as usual. */
export function parsed(hash: string, usual: State): State {
  const told = new URLSearchParams(hash.replace(/^#/, ""));
  const state: State = { ...usual };
  for (const key of TEXTS) state[key] = told.get(key) ?? usual[key];
  for (const key of NUMBERS) {
    const value = Number(told.get(key) ?? "x");
    state[key] = Number.isFinite(value) && value >= 0 ? value : usual[key];
  }
  for (const key of LISTS) state[key] = told.getAll(key);
  return state;
}
