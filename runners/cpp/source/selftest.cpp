// A runner without a codec: work whose time is known, so that the harness can be held to it (./serbench
// doctor --deep).
//
// It is the measuring program itself, with the same sampler, around passes that do nothing, read the clock,
// take a known number of cycles, or take longer than another by a known share.

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "serbench/place.hpp"
#include "serbench/runner.hpp"
#include "serbench/sink.hpp"

namespace serbench {
namespace {

/// Instructions in a pass of `one_cycle` and `three_cycles`, each of which waits for the one before; a
/// thousand times what a pass costs to start and to leave. src/serbench/doctor/selftests.py has the same
/// number.
constexpr std::uint32_t chain_steps = 100'000;
constexpr std::uint32_t unrolled = 100;
#define SERBENCH_UNROLLED ".rept 100\n\t"

// Cycles by the makers' optimisation guides and by measurement (A. Fog, "Instruction tables"; uops.info):
// addition of two registers takes one, 32-bit multiplication three on Intel since Nehalem and on AMD since
// Zen. Arm's multiplications differ, but additions and exclusive or without a shift take one on all of
// theirs.
#if defined(__x86_64__)
#define SERBENCH_CHAINS 1
#define SERBENCH_ONE_CYCLE "addl %1, %0\n\t"
#define SERBENCH_THREE_CYCLES "imull %1, %0\n\t"
#elif defined(__aarch64__)
#define SERBENCH_CHAINS 1
#define SERBENCH_ONE_CYCLE "add %w0, %w0, %w1\n\t"
#define SERBENCH_THREE_CYCLES "add %w0, %w0, %w1\n\teor %w0, %w0, %w1\n\tadd %w0, %w0, %w1\n\t"
#endif

#ifdef SERBENCH_CHAINS
// Assembly, since an optimiser folds a chain of additions into one multiplication.
void one_cycle() {
  std::uint32_t value = 1;
  const std::uint32_t operand = 3;
  for (std::uint32_t n = 0; n < chain_steps / unrolled; ++n) {
    asm volatile(SERBENCH_UNROLLED SERBENCH_ONE_CYCLE ".endr" : "+r"(value) : "r"(operand) : "cc");
  }
  consume_number(value);
}

void three_cycles() {
  std::uint32_t value = 1;
  const std::uint32_t operand = 3;
  for (std::uint32_t n = 0; n < chain_steps / unrolled; ++n) {
    asm volatile(SERBENCH_UNROLLED SERBENCH_THREE_CYCLES ".endr" : "+r"(value) : "r"(operand) : "cc");
  }
  consume_number(value);
}
#endif

void read_clock() {
  consume_number(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
}

/// Integer work that stays in registers; its time is in proportion to `hundredths`.
void compute(std::uint32_t hundredths) {
  std::uint64_t value = 1;
  for (std::uint32_t n = 0; n < 100 * hundredths; ++n) {
    value = value * 6364136223846793005U + 1442695040888963407U;  // the generator of Knuth's MMIX
    asm volatile("" : "+r"(value));                               // each step waits for the one before
  }
  consume_number(value);
}

constexpr std::uint32_t handed_over =
    100 * 100;  ///< hundredths of the work of `compute` that another does for us

/// Work on a second thread while this one is ready all the time, so that on one core it waits for its own.
void compute_in_thread() {
  std::atomic<bool> done = false;
  std::thread other([&done] {
    compute(handed_over);
    done = true;
  });
  while (!done) sched_yield();
  other.join();
}

/// The same in a child process.
void compute_in_child() {
  const pid_t child = fork();
  if (child == 0) {
    compute(handed_over);
    _exit(0);
  }
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  while (waitpid(child, nullptr, WNOHANG) == 0) sched_yield();
}

/// The number behind a '+' in `text`, in hundredths of the work; 0 where there is none.
std::uint32_t added_percent(std::string_view text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string_view::npos) return 0;
  std::uint32_t percent = 0;
  const auto [end, error] = std::from_chars(text.data() + plus + 1, text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("found '" + std::string(text) + "', expected compute+PERCENT");
  }
  return percent;
}

class Selftest : public Subject {
 public:
  std::vector<std::string_view> operations() const override {
    return {
        "empty",     "clock",        "compute", "copy",
#ifdef SERBENCH_CHAINS
        "one_cycle", "three_cycles",
#endif
    };
  }
  void load(const std::vector<Bytes>&) override {}
  void give(const std::string&, const std::string&, const std::vector<Bytes>&) override {}
  std::size_t messages() const override { return 0; }
  Bytes encode(std::size_t, Memory) override { throw std::logic_error("the self-test encodes nothing"); }
  void decode(Bytes, bool, Memory, canonical::Buffer&) override {
    throw std::logic_error("the self-test decodes nothing");
  }
  void check_reading() override {}
  void watch(const std::string&, const std::string&, const std::vector<Bytes>&) override {}
  Timed prepare(std::string_view operation, Memory) override { return {pass(operation)}; }

 private:
  static Pass pass(std::string_view operation) {
    if (operation == "empty") return [] {};
    if (operation == "clock") return read_clock;
    if (operation == "thread") return compute_in_thread;
    if (operation == "child") return compute_in_child;
#ifdef SERBENCH_CHAINS
    if (operation == "one_cycle") return one_cycle;
    if (operation == "three_cycles") return three_cycles;
#endif
    if (operation == "copy") {
      // Other pages of the machine in each process, as a codec's buffers have them.
      leave_gap(1);
      return [from = std::vector<char>(copied_bytes, 1), to = std::vector<char>(copied_bytes)]() mutable {
        consume(from);
        std::memcpy(to.data(), from.data(), copied_bytes);
        consume(to);
      };
    }
    if (operation.starts_with("compute")) {
      return [hundredths = 100 + added_percent(operation)] { compute(hundredths); };
    }
    throw std::invalid_argument("the self-test has no operation '" + std::string(operation) + "'");
  }

  static constexpr std::size_t copied_bytes = 1 << 20;
};

}  // namespace
}  // namespace serbench

static int serve(int argc, char** argv) {
  serbench::Selftest selftest;
  return serbench::run({"selftest", "selftest", SERBENCH_SELFTEST_SCHEMA}, selftest, argc, argv);
}

int main(int argc, char** argv) { return serbench::at_drawn_place(argc, argv, serve); }
