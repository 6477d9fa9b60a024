// Criterion beside our sampler in one measuring program, so that both time the very same code at the same
// addresses (./serbench doctor --cross-check).
//
// The first word of the command line says who takes the samples; all that follows is as docs/protocol.md has
// it.

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "serbench/codec.h"
#include "serbench/sampler.hpp"

extern "C" {
/// The struct `Program` of lib.rs.
struct serbench_criterion_program {
  void* context;
  void (*pass)(void*);
  void (*begin)(void*);
  void (*end)(void*, std::uint64_t elapsed_ns);
};
void serbench_criterion(serbench_criterion_program program, std::uint64_t sample_ns, std::size_t samples,
                        const char* folder);

int __real_serbench_run(const serbench_program* program, int argc, char** argv);
int __wrap_serbench_run(const serbench_program* program, int argc, char** argv);
}

namespace serbench {
namespace {

/// Criterion's use of a pass. No exception may cross its code: a pass that failed is not called again.
struct Taking {
  const Pass& pass;
  std::exception_ptr failed{};
  std::int64_t passes = 0;  ///< since `before`
  Reading before{};
  std::vector<Sample> taken{};

  void call() {
    ++passes;
    if (failed) return;
    try {
      pass();
    } catch (...) {
      failed = std::current_exception();
    }
  }
  void begin() {
    passes = 0;
    before = reading();
  }
  void end(std::uint64_t elapsed_ns) {
    const Usage used = reading() - before;
    taken.push_back(
        {.iterations = passes, .elapsed_ns = static_cast<std::int64_t>(elapsed_ns), .used = used});
  }
};

Taking& taking(void* context) { return *static_cast<Taking*>(context); }

/// A folder for Criterion's reports, for as long as it is at work.
class Folder {
 public:
  Folder() : name_((std::filesystem::temp_directory_path() / "serbench-XXXXXX").string()) {
    if (mkdtemp(name_.data()) == nullptr) throw std::runtime_error("no folder for Criterion's reports");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(name_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
};

/// Sends what is written to standard output nowhere: Criterion tells its results there.
class Silence {
 public:
  Silence() : kept_(dup(STDOUT_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~Silence() {
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int kept_;
};

/// Times passes as an author would with Criterion: it finds by itself how many iterations last as long as a
/// sample, and has its own loop and clock.
Sampling sample_by_criterion(const Timed& timed, const SamplerOptions& options) {
  if (options.iterations > 0) {
    throw std::runtime_error("Criterion finds the iterations by itself: found --iterations with it");
  }
  Taking all{.pass = timed.pass};
  {
    const Folder folder;
    const Silence silence;
    serbench_criterion({.context = &all,
                        .pass = [](void* context) { taking(context).call(); },
                        .begin = [](void* context) { taking(context).begin(); },
                        .end = [](void* context, std::uint64_t ns) { taking(context).end(ns); }},
                       static_cast<std::uint64_t>(options.sample_ns),
                       static_cast<std::size_t>(options.samples), folder.name());
  }
  if (all.failed) std::rethrow_exception(all.failed);
  const auto first = all.taken.end() - options.samples;
  // It does not look at whether times have settled.
  return {.samples = {first, all.taken.end()},
          .warmups = static_cast<int>(first - all.taken.begin()),
          .settled = true};
}

}  // namespace
}  // namespace serbench

/// In the place of the function that the cell's `main` calls.
int __wrap_serbench_run(const serbench_program* program, int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name != "serbench" && name != "criterion") {
    std::fprintf(stderr, "found sampler '%s', expected serbench or criterion\n", argc > 1 ? argv[1] : "");
    return 1;
  }
  if (name == "criterion") serbench::sampler = serbench::sample_by_criterion;
  return __real_serbench_run(program, argc - 1, argv + 1);
}
