// Google Benchmark beside our sampler in one measuring program, so that both time the very same code at the
// same addresses (./serbench doctor --cross-check). With programs of their own they would differ by several
// per cent, because of where their code lies in memory.
//
// The first word of the command line says who takes the samples; all that follows is as docs/protocol.md has
// it.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "serbench/sampler.hpp"

namespace serbench {
namespace {

/// Keeps what Google Benchmark measured, in place of printing it.
class Keeper : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& reported) override {
    for (const Run& run : reported) {
      if (run.run_type == Run::RT_Iteration) runs.push_back(run);
    }
  }

  std::vector<Run> runs;  ///< the repetitions, without mean and deviation
};

/// Times `pass` as an author would with Google Benchmark: it finds by itself how many iterations last as long
/// as a sample, by the wall clock as ours does, and each repetition is a sample.
Sampling sample_by_google_benchmark(const Timed& timed, const SamplerOptions& options) {
  const Pass& pass = timed.pass;
  pass();  // so that what it keeps lies where it would under our sampler, before Google Benchmark allocates
  std::vector<Usage> used;  // one of each call below, those that only look for the iterations included
  benchmark::internal::Benchmark* registered =
      benchmark::RegisterBenchmark("pass", [&pass, &used](benchmark::State& state) {
        const Reading before = reading();
        for ([[maybe_unused]] auto _ : state) pass();
        used.push_back(reading() - before);
      });
  registered->Repetitions(options.samples)->UseRealTime();
  if (options.iterations > 0) {
    registered->Iterations(options.iterations);
  } else {
    registered->MinTime(static_cast<double>(options.sample_ns) / 1e9);
  }
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  benchmark::ClearRegisteredBenchmarks();

  // It does not look at whether times have settled.
  Sampling result{
      .samples = {}, .warmups = static_cast<int>(used.size() - keeper.runs.size()), .settled = true};
  for (std::size_t n = 0; n < keeper.runs.size(); ++n) {
    const auto& run = keeper.runs[n];
    result.samples.push_back({.iterations = run.iterations,
                              .elapsed_ns = std::llround(run.real_accumulated_time * 1e9),
                              .used = used[used.size() - keeper.runs.size() + n]});
  }
  return result;
}

}  // namespace
}  // namespace serbench

int cell_main(int argc,
              char** argv);  // main.cpp's `main`, which is compiled under this name for this program

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name != "serbench" && name != "google_benchmark") {
    std::fprintf(stderr, "found sampler '%s', expected serbench or google_benchmark\n",
                 argc > 1 ? argv[1] : "");
    return 1;
  }
  if (name == "google_benchmark") serbench::sampler = serbench::sample_by_google_benchmark;
  return cell_main(argc - 1, argv + 1);
}
