// Takes samples of several threads that do the same operation at once (docs/protocol.md, `--threads`). Each
// is a worker, with a heap, sides, objects and messages of its own, and runs the same program; the process's
// first thread directs them, and sleeps meanwhile.
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { nowMs, nowNs, sinceNs } from "./clock.js";
import { say } from "./events.js";
import { collectGarbage, Collections } from "./garbage.js";
import { parsedCell, readied, sampleNsOf, warmupNsOf } from "./measurement.js";
import { fieldsOf, Told } from "./origin.js";
import { between, threadNumber, usage } from "./usage.js";
import { warmUp } from "./warmup.js";
import { wordsAhead } from "./writer_schema.js";

/** Samples that are thrown away before the first. */
const WARMUPS = 2;

/** How often a thread looks at the clock in a sample, about. */
const LOOKS = 64;

/** The command by which this program starts a thread. */
export const OF_A_MEMBER = "measure-member";

/** Takes the samples of one cell. */
export async function measureTogether(options) {
  const [operation, memory] = parsedCell(options.get("cells"));
  const samples = options.number("samples", 3);
  const threads = options.number("threads", 1);
  if (threads < 1) throw new Error(`found --threads ${threads}, expected 1 or more`);
  const team = new Team(threads, options);
  await team.all("prepare");
  const warmed = await team.all("warmUp");
  const warmups = WARMUPS + Math.max(...warmed.map((each) => each.warmups));
  const settled = warmed.every((each) => each.settled);
  for (let n = 0; n < WARMUPS + samples; ++n) {
    await team.all("renew");
    const before = usage();
    await team.all("run");
    const used = between(before, usage());
    const taken = summed(await team.oneByOne("tell")); // records of what passes left are written whole
    taken.elapsed_ns = Math.max(1, Math.round(taken.elapsed_ns / threads));
    if (n >= WARMUPS) say("sample", { operation, memory, ...taken, ...used, threads, warmups, settled });
  }
}

function summed(members) {
  const sums = {};
  for (const each of members) {
    for (const [name, value] of Object.entries(each)) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}

/** The threads of one cell, as seen by the one that directs them. They end with the process. */
class Team {
  #members = [];

  constructor(threads, options) {
    // How many have arrived where they begin a sample, and then the number of each thread.
    const shared = new Int32Array(new SharedArrayBuffer(4 * (1 + threads)));
    const place = BigInt(options.get("place", "0"));
    for (let n = 0; n < threads; ++n) {
      const own = options.with("place", String(place + BigInt(n)));
      this.#members.push(new Directed([...own.words()], { shared, number: n }));
    }
  }

  /** Has every thread do a step at once; resolves to the answers of all. */
  all(step) {
    return Promise.all(this.#members.map((each) => each.do(step)));
  }

  /** Has the threads do a step one after the other. */
  async oneByOne(step) {
    const answers = [];
    for (const each of this.#members) answers.push(await each.do(step));
    return answers;
  }
}

/** A thread that answers each step that it is told to do. */
class Directed {
  #worker;
  #answered = null;
  #failed = null;
  #failure = null;

  constructor(words, data) {
    this.#worker = new Worker(pathToFileURL(process.argv[1]), {
      argv: [process.argv[2], ...wordsAhead, OF_A_MEMBER, ...words],
      workerData: data,
    });
    this.#worker.on("message", ({ error, answer }) => {
      if (error) this.#fail(new Told(error));
      else this.#answered(answer);
    });
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", (status) => this.#fail(new Error(`a thread has ended with status ${status}`)));
  }

  do(step) {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      if (this.#failure) reject(this.#failure);
      else this.#worker.postMessage(step);
    });
  }

  #fail(error) {
    this.#failure ??= error;
    this.#failed?.(this.#failure);
  }
}

/** Does the steps that this thread is told to do, until it is ended. */
export function serveTeam(cell, options) {
  const member = new Member(cell, options, workerData);
  parentPort.on("message", async (step) => {
    try {
      parentPort.postMessage({ answer: await member[step]() });
    } catch (error) {
      parentPort.postMessage({ error: { fields: fieldsOf(error), stack: String(error?.stack ?? error) } });
    }
  });
  return new Promise(() => {});
}

/** A thread with all that it works with, and what it did in the last sample. */
class Member {
  #meetings = 0; // samples that have begun
  #atOnce = 1; // passes between two looks at the clock
  #isWatched = false;

  constructor(cell, options, { shared, number }) {
    this.cell = cell;
    this.options = options;
    this.shared = shared;
    this.threads = shared.length - 1;
    this.sampleNs = sampleNsOf(options);
    this.collections = new Collections();
    shared[1 + number] = threadNumber();
  }

  prepare() {
    this.work = readied(this.cell, this.options);
    collectGarbage();
  }

  warmUp() {
    const own = [process.pid, ...this.shared.subarray(1)];
    const { warmups, settled, passNs } = warmUp(this.work.prepared.pass, warmupNsOf(this.options), own);
    this.#atOnce = Math.max(1, Math.floor(this.sampleNs / LOOKS / passNs));
    return { warmups, settled };
  }

  /** Changes values before a sample. */
  renew() {
    const { watching, prepared } = this.work;
    this.#isWatched = watching?.drawWatched() ?? false;
    if (!this.#isWatched) return;
    watching.renew(prepared.input, false);
    collectGarbage(); // new objects move to the old generation at once, as before the warm-up
  }

  /** Does passes until the time is over; a thread that gets a core late measures as long as the others. */
  run() {
    const { pass } = this.work.prepared;
    this.#meet();
    this.begunMs = nowMs();
    const start = nowNs();
    let passes = 0;
    let elapsed;
    do {
      for (let n = 0; n < this.#atOnce; ++n) pass();
      passes += this.#atOnce;
      elapsed = sinceNs(start);
    } while (elapsed < this.sampleNs);
    this.endedMs = nowMs();
    this.taken = { iterations: passes, elapsed_ns: elapsed, left: this.#isWatched ? 1 : 0 };
  }

  /** Waits until all threads are here. */
  #meet() {
    const until = this.threads * ++this.#meetings;
    Atomics.add(this.shared, 0, 1);
    Atomics.notify(this.shared, 0);
    for (let here = 0; here < until; here = Atomics.load(this.shared, 0)) {
      if (here > 0) Atomics.wait(this.shared, 0, here);
    }
  }

  /** Writes down what the last pass left, and tells what it did in the sample. */
  async tell() {
    const { operation, memory, watching, prepared } = this.work;
    if (this.#isWatched) watching.writeDown(operation, memory, prepared);
    return { ...this.taken, ...(await this.collections.between(this.begunMs, this.endedMs)) };
  }
}
