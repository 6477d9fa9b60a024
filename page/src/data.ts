// What a page holds, as src/serbench/page/contents.py writes it, and how it is read.

export type Tone = "" | "good" | "care" | "bad";

export interface Said {
  label: string;
  text: string;
  tone: Tone;
}

export interface Workload {
  name: string;
  messages: number | null;
  canonical_bytes: number | null;
  sha256: string;
  trust: { level: "yes" | "with care" | "no"; reasons: string[] };
  verdict: Said[];
  /** The name among the choices: it tells the part that is read, where only a part is. */
  title: string;
  /** The meaning of ways and their marks, where a part of the messages is read. */
  notes: string[];
}

export interface Toolchain {
  name: string;
  language: string;
  compiler: string;
  flags: string;
  linking: string;
  missing: string;
  libraries: Record<string, string>;
}

export interface Run {
  id: string;
  started: string;
  suite: string | null;
  /** Whether it was measured to its end, or is known to be measured still. */
  ended: boolean;
  earlier: boolean;
  measured_by: string;
  command: string;
  machine: Record<string, string>;
  /** Of which run of several machines it is a part; null where it is a run by itself. */
  part: { of: string; machine: string; kind: string } | null;
  toolchains: Toolchain[];
  workloads: Workload[];
  operations: string[];
  damaged: string[];
  method: string[];
}

export interface Codec {
  id: string;
  language: string;
  features: string[];
  /** What decoding checks; null where nobody has said. */
  checks: string[] | null;
  /** The harm that hostile messages do; null where nobody has said. */
  hostile: string[] | null;
  lossy: string;
  /** The words of its authors where they no longer develop it; else empty. */
  maintenance: string;
  reviewed: string;
  floor: boolean;
  /** Names what it is, if it is no library and does not compete; else empty. */
  reference: string;
  dynamic: boolean;
  versions: Record<string, string>;
  /** The specifications to which it was seen to keep, with the version that was measured. */
  conforms: string[];
  format?: string;
  summary?: string;
  variant?: string;
  licence?: string;
  homepage?: string;
  mapping?: Record<string, string>;
}

/** The codecs of a run that have a format, by sections of its specification. */
export interface Conformance {
  run: string;
  format: string;
  specification: string;
  sections: string[];
  /** For each section, how many cases are as it says, of how many that it decides. */
  codecs: Record<string, [good: number, decided: number][]>;
  notes: string[];
}

export interface SuiteRow {
  name: string;
  codec: string;
  note: string;
  /** By workload; times are nanoseconds of a pass by operation with memory policy. */
  published: Record<string, { size: number | null; times: Record<string, number> }>;
}

export interface Suite {
  name: string;
  summary: string;
  source: string;
  time_unit: string;
  flaws: string[];
  rows: SuiteRow[];
}

/** What the verdicts on a run of several machines have in common, by workload. */
export interface Fleet {
  run: string;
  verdicts: Record<string, { label: string; text: string }[]>;
}

/**
 * Nanoseconds of a message for each share of the fields, of which the last is every field; among each number
 * of messages; or of a call, for each number of calls of which one takes so long.
 */
export interface Line {
  codec: string;
  name: string;
  /** The name with the way. */
  label: string;
  way: string;
  /** Up to which share it takes less time than for every field; empty where that is not known. */
  words: string;
  points: { share: number; time: number; low: number; high: number; below: boolean; piece: number }[];
}

/** The lines of a workload and an operation, the fastest codec first. */
export interface Curves {
  run: string;
  workload: string;
  operation: string;
  /** The workloads that read a part of the messages, or have another number of them. */
  parts: string[];
  heading: string;
  /** The meaning of what is drawn, and by which points codecs are ordered. */
  legend: string;
  foremost: string;
  /** The axis of the lines is the share of fields, the number of messages, or that of calls. */
  kind: "fields" | "messages" | "calls";
  /** The axis of the lines in words, and the thing whose time is drawn. */
  over: string;
  one: string;
  lines: Line[];
  /** Sentences on several lines: which codecs change places. */
  said: string[];
  /** The number of messages that each cache would hold. */
  caches: { name: string; x: number }[];
  /** The texts at places of the axis; none where these are numbers. */
  ticks: { name: string; x: number }[];
}

/** A table of what filters take, which is computed of measured times; one for each memory policy. */
export interface Filter {
  run: string;
  /** The workloads from whose times it is computed. */
  workloads: string[];
  title: string;
  headings: string[];
  rows: string[][];
  /** The codec of each row. */
  codecs: string[];
  notes: string[];
  verdict: { label: string; text: string }[];
}

type Value = string | number | boolean | null;
type Column = Value[] | { words: string[]; at: (number | null)[] };
type Columns = Record<string, Column>;

interface Written {
  title: string;
  serbench: string;
  reproduce: string;
  runs: Run[];
  codecs: Codec[];
  cells: Columns;
  costs: Columns;
  wire: Columns;
  suites: Suite[];
  fleets: Fleet[];
  curves: Curves[];
  filters: Filter[];
  conformance: Conformance[];
  comparisons: { before: string; after: string; cells: Columns; notes: string[] }[];
  words: {
    operations: Record<string, string>;
    features: Record<string, string>;
    checks: Record<string, string>;
  };
}

/** One codec variant × workload × operation × memory policy of a run; times are nanoseconds of a pass. */
export interface Cell {
  run: string;
  codec: string;
  workload: string;
  compiler: string;
  operation: string;
  memory: string;
  status: "ok" | "waiting" | "failed" | "not_installed" | "unsupported";
  reason: string | null;
  /** The rank of its tie group, from 1; 0 for floors and references, which do not compete. */
  rank: number | null;
  unsteady: boolean;
  /** Whether it may be the fastest, though its rank may be a later one. */
  may_lead: boolean;
  constant_time_view: boolean;
  undercuts_floor: boolean;
  messages: number | null;
  size_bytes: number | null;
  bytes_per_message: number | null;
  time_ns: number | null;
  time_low_ns: number | null;
  time_high_ns: number | null;
  coverage: number | null;
  ns_per_message: number | null;
  mb_per_s: number | null;
  ratio_best: number | null;
  ratio_low: number | null;
  ratio_high: number | null;
  /** How a part of the messages is read; null or empty where they are read whole. */
  way: string | null;
  way_reason: string | null;
  /** Whether text that is no UTF-8 goes unnoticed in what is passed over. */
  unchecked: boolean | null;
  /** Whether it takes about as long as for every field, though it is to pass over the rest. */
  doubtful: boolean | null;
  ratio_everything: number | null;
  everything_low: number | null;
  everything_high: number | null;
  rounds: number;
  samples: number;
  disturbed_samples: number;
  unsettled_rounds: number;
  allocated_bytes: number | null;
}

export interface Cost {
  run: string;
  codec: string;
  workload: string;
  compiler: string;
  operation: string | null;
  memory: string | null;
  threads: number | null;
  cost: string;
  value: number;
}

/** What one compressor makes of what a codec wrote; bytes and nanoseconds of one message. */
export interface Wire {
  run: string;
  codec: string;
  workload: string;
  compiler: string;
  parcel: string;
  compressor: string;
  reason: string;
  plain: number | null;
  size: number | null;
  compress_ns: number | null;
  decompress_ns: number | null;
}

/** One cell of two runs; times are nanoseconds of a pass. */
export interface Changed {
  codec: string;
  workload: string;
  compiler: string;
  operation: string;
  before_ns: number;
  after_ns: number;
  ratio: number;
  low: number;
  high: number;
  verdict: string;
  regression: boolean;
  /** Whether its times are computed of those of other cells, as a filter's are. */
  computed: boolean;
}

export interface Comparison {
  before: string;
  after: string;
  cells: Changed[];
  notes: string[];
}

export interface Page extends Omit<Written, "cells" | "costs" | "wire" | "comparisons" | "codecs"> {
  codecs: Map<string, Codec>;
  cells: Cell[];
  costs: Cost[];
  wire: Wire[];
  comparisons: Comparison[];
}

/** The page's data out of its own document. */
export async function read(): Promise<Page> {
  const text = document.getElementById("data")?.textContent ?? "";
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const written = (await new Response(stream).json()) as Written;
  return {
    ...written,
    codecs: new Map(written.codecs.map((each) => [each.id, each])),
    cells: rows<Cell>(written.cells),
    costs: rows<Cost>(written.costs),
    wire: rows<Wire>(written.wire),
    comparisons: written.comparisons.map((each) => ({ ...each, cells: rows<Changed>(each.cells) })),
  };
}

/** Columns as an object for each row. */
function rows<Row>(columns: Columns): Row[] {
  const names = Object.keys(columns);
  const values = names.map((name) => plain(columns[name]!));
  const count = values[0]?.length ?? 0;
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(names.map((name, column) => [name, values[column]![row]])),
  ) as Row[];
}

function plain(column: Column): Value[] {
  if (Array.isArray(column)) return column;
  return column.at.map((place) => (place === null ? null : column.words[place]!));
}

/** Who contends in a table: the codec variant, with the compiler where there are several. */
export function nameOf(cell: { codec: string; compiler: string }): string {
  return `${cell.codec} ${cell.compiler}`.trimEnd();
}

export function cellOperation(cell: { operation: string; memory: string }): string {
  return `${cell.operation}:${cell.memory}`;
}
