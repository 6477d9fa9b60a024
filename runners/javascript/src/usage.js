// The time and memory that this process used so far and that others took, from the files of /proc (man 5
// proc); a number is -1 where the system does not tell.
import fs from "node:fs";
import process from "node:process";
import { nowNs } from "./clock.js";

const UNKNOWN = -1;

/** Linux counts in hundredths of a second for user space on every architecture that has Node. */
const TICK_NS = 10_000_000;

// Words of files of /proc, counted from 0; those of a process's stat from behind its name, which may have
// blanks.
const STOLEN = 8;
const MINOR_FAULTS = 7;
const MAJOR_FAULTS = 9;

const CORES = coresOf(fieldOf(read("/proc/self/status"), "Cpus_allowed_list:"));

/** The counters up to now. */
export function usage() {
  const [, after = ""] = read("/proc/self/stat").split(/\) (?=[^)]*$)/);
  const words = after.split(" ");
  const { user, system } = process.cpuUsage();
  return {
    threads: readThreads(),
    pageFaults: after ? Number(words[MINOR_FAULTS]) + Number(words[MAJOR_FAULTS]) : UNKNOWN,
    stolenNs: readStolen(),
    residentBytes: process.memoryUsage.rss(),
    ownNs: 1000 * (user + system),
    at: nowNs(),
  };
}

/** The fields of a sample that say what happened between two readings. */
export function between(before, after) {
  const elapsed = Number(after.at - before.at);
  const own = Math.min(after.ownNs - before.ownNs, Math.max(CORES.size, 1) * elapsed);
  return {
    involuntary_switches: switches(before, after),
    waited_ns: waited(before, after, elapsed),
    page_faults: difference(before.pageFaults, after.pageFaults),
    stolen_ns: difference(before.stolenNs, after.stolenNs),
    own_ns: own,
    grown_bytes: Math.max(0, after.residentBytes - before.residentBytes),
  };
}

/** The fields of two parts of a sample together. */
export function together(one, other) {
  const sums = {};
  for (const [name, value] of Object.entries(one)) {
    sums[name] = value < 0 || other[name] < 0 ? UNKNOWN : value + other[name];
  }
  return sums;
}

/** The system's number of the thread that calls this; 0 where the system does not tell. */
export function threadNumber() {
  return Number.parseInt(read("/proc/thread-self/stat"), 10) || 0;
}

/** Time on a core of all threads but those that run JavaScript, by number: that of V8's compilers. */
export function othersNs(own = [process.pid]) {
  let ranNs = 0;
  for (const number of own) ranNs += Number(read(`/proc/self/task/${number}/schedstat`).split(" ")[0]);
  const { user, system } = process.cpuUsage();
  return ranNs > 0 ? 1000 * (user + system) - ranNs : 0;
}

/**
 * The time that threads were ready while another process had their core. A thread that waits while another
 * one of this process runs is not disturbed by others: where our own filled the cores, nobody else had them.
 */
function waited(before, after, elapsed) {
  if (before.threads.size === 0 || after.threads.size === 0) return UNKNOWN;
  let delayed = 0;
  for (const [number, each] of after.threads) {
    delayed += each.delayedNs - (before.threads.get(number)?.delayedNs ?? 0);
  }
  const notOurs = Math.max(CORES.size, 1) * elapsed - (after.ownNs - before.ownNs);
  return Math.max(0, Math.min(delayed, Math.round(notOurs)));
}

function switches(before, after) {
  if (before.threads.size === 0 || after.threads.size === 0) return UNKNOWN;
  let count = 0;
  for (const [number, each] of after.threads) {
    count += each.switches - (before.threads.get(number)?.switches ?? 0);
  }
  return count;
}

function difference(before, after) {
  return before < 0 || after < 0 ? UNKNOWN : after - before;
}

/** The times of each thread, by its number; empty where the system does not tell. */
function readThreads() {
  const threads = new Map();
  for (const number of numbersOf("/proc/self/task")) {
    const [, delayed] = read(`/proc/self/task/${number}/schedstat`).split(" ");
    if (delayed === undefined) continue; // it has just ended, or the system has no such statistics
    const lost = fieldOf(read(`/proc/self/task/${number}/status`), "nonvoluntary_ctxt_switches:");
    threads.set(number, { delayedNs: Number(delayed), switches: Number(lost) });
  }
  return threads;
}

/** The time that the hypervisor gave to others, of the cores that the process may run on. */
function readStolen() {
  let ticks = 0;
  let found = 0;
  for (const line of read("/proc/stat").split("\n")) {
    const words = line.split(/ +/);
    if (!line.startsWith("cpu") || !CORES.has(words[0].slice(3)) || words.length <= STOLEN) continue;
    ticks += Number(words[STOLEN]);
    ++found;
  }
  return found > 0 ? ticks * TICK_NS : UNKNOWN;
}

/** The numbers in a list such as `0-2,5`. */
function coresOf(list) {
  const cores = new Set();
  for (const range of list.split(",").filter(Boolean)) {
    const ends = range.split("-").map(Number);
    for (let n = ends[0]; n <= ends.at(-1); ++n) cores.add(String(n));
  }
  return cores;
}

/** The text behind a name at the beginning of a line; empty where the name is not there. */
function fieldOf(text, name) {
  const line = text.split("\n").find((each) => each.startsWith(name)) ?? name;
  return line.slice(name.length).trim();
}

function numbersOf(folder) {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty where there is no such file. */
function read(path) {
  try {
    return fs.readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
