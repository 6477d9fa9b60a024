// tinybench beside our sampler in one measuring program, so that both time the very same pass
// (./serbench doctor --cross-check). The first word of the command line says who takes the samples; all that
// follows is as docs/protocol.md has it.
import { Bench } from "tinybench";

/** The sampler of a name: null for ours. */
export function samplerOf(name) {
  if (name !== "serbench" && name !== "tinybench") {
    throw new Error(`found sampler '${name ?? ""}', expected serbench or tinybench`);
  }
  return name === "serbench" ? null : sampleByTinybench;
}

/**
 * Times `pass` as an author would with tinybench. It times every pass by itself; a sample is all passes of a
 * run of it, for as long as a sample lasts. The first run warms up for as long as ours may.
 */
function* sampleByTinybench(pass, { samples, sampleNs, iterations, warmupNs }, { usage, between }) {
  let before;
  let used;
  const bench = new Bench({
    time: iterations > 0 ? 0 : sampleNs / 1e6,
    iterations: Math.max(iterations, 1),
    warmupTime: warmupNs / 1e6,
    subtractTimerOverhead: true,
    throws: true,
  });
  bench.add("pass", pass, {
    beforeAll: () => void (before = usage()),
    afterAll: () => void (used = between(before, usage())),
  });
  for (let n = 0; n < samples; ++n) {
    const [task] = bench.runSync();
    yield {
      iterations: task.runs,
      elapsed_ns: Math.max(1, Math.round(1e6 * task.result.totalTime)),
      ...used,
      warmups: n === 0 ? 1 : 0,
      settled: true, // it does not look at that
    };
    bench.warmup = false;
    bench.reset();
  }
}
