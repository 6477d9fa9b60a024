// Numbers as people read them.

const TIMES: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

const SIZES: [number, string][] = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
  [1, "bytes"],
];

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** Three significant digits, and thousands apart. */
export function rounded(value: number): string {
  return Math.abs(value) >= 1000 ? grouped.format(value) : three.format(value);
}

function scaled(value: number | null, units: [number, string][]): string {
  if (value === null) return "–";
  const [scale, unit] = units.find(([each]) => Math.abs(value) >= each) ?? units[units.length - 1]!;
  return `${rounded(value / scale)} ${unit}`;
}

export const duration = (ns: number | null): string => scaled(ns, TIMES);

export const bytes = (value: number | null): string => scaled(value, SIZES);

export function ratio(value: number | null): string {
  return value === null ? "–" : `×${value < 10 ? value.toFixed(2) : rounded(value)}`;
}

export function interval(low: number | null, high: number | null, said: (value: number) => string): string {
  return low === null || high === null || low === high ? "" : `${said(low)} to ${said(high)}`;
}
