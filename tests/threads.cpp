// Threads that serbench directs, beside threads by hand: the same pass without a lock and with one that all
// of them share. Prints what was made, and for each number of threads passes per second.
#include "serbench/threads.hpp"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex planted;
std::atomic<int> made = 0, looked = 0;

void work(double& of) {
  for (int n = 0; n < 3000; ++n) of = std::sqrt(of + n);
  asm volatile("" : : "r"(&of) : "memory");
}

struct Planted : serbench::Subject {
  bool locks;
  double number = 1;
  explicit Planted(bool locks) : locks(locks) {}
  std::unique_ptr<Subject> another() const override {
    ++made;
    return std::make_unique<Planted>(locks);
  }
  std::vector<std::string_view> operations() const override { return {}; }
  void load(const std::vector<serbench::Bytes>&) override {}
  void give(const std::string&, const std::string&, const std::vector<serbench::Bytes>&) override {}
  std::size_t messages() const override { return 1; }
  serbench::Bytes encode(std::size_t, serbench::Memory) override { return {}; }
  void decode(serbench::Bytes, bool, serbench::Memory, serbench::canonical::Buffer&) override {}
  void check_reading() override {}
  void watch(const std::string&, const std::string&, const std::vector<serbench::Bytes>&) override {}
  serbench::Timed prepare(std::string_view operation, serbench::Memory) override {
    if (operation == "fails") return {.pass = [] { throw std::runtime_error("planted"); }};
    return {.pass =
                [this] {
                  if (!locks) return work(number);
                  const std::lock_guard guard(planted);
                  work(number);
                },
            .renew = [] {},
            .look = [] { ++looked; }};
  }
};

double by_serbench(const char* operation, bool locks, std::size_t threads, int samples) {
  const serbench::Ready ready = [&](serbench::Subject& own) {
    return own.prepare(operation, serbench::Memory::reuse);
  };
  const auto taken = serbench::sample_together(Planted(locks), ready, {.samples = samples}, threads);
  double passes = 0, ns = 0;
  for (const serbench::Sample& each : taken.samples) {
    if (each.left != static_cast<int>(threads)) throw std::runtime_error("left");
    passes += static_cast<double>(each.iterations);
    ns += static_cast<double>(each.elapsed_ns);
  }
  return passes / ns * 1e9;
}

double by_hand(bool locks, std::size_t threads, double seconds) {
  std::atomic<bool> begin = false, end = false;
  std::atomic<long> passes = 0;
  std::vector<std::jthread> all;
  for (std::size_t n = 0; n < threads; ++n)
    all.emplace_back([&] {
      double number = 1;
      long own = 0;
      while (!begin) std::this_thread::yield();
      for (; !end; ++own) {
        std::unique_lock<std::mutex> guard;
        if (locks) guard = std::unique_lock(planted);
        work(number);
      }
      passes += own;
    });
  const auto start = std::chrono::steady_clock::now();
  begin = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  end = true;
  all.clear();
  return static_cast<double>(passes) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int, char** argv) {
  const int samples = std::atoi(argv[1]);
  for (const std::size_t threads : {1, 2})
    for (const bool locks : {false, true})
      std::printf("%zu %s %.0f %.0f\n", threads, locks ? "locked" : "free",
                  by_serbench("works", locks, threads, samples), by_hand(locks, threads, samples * 0.02));
  std::printf("made %d looked %d\n", made.load(), looked.load());
  try {
    by_serbench("fails", false, 2, samples);
  } catch (const std::runtime_error& error) {
    std::printf("threw %s\n", error.what());
  }
  try {
    const rlimit memory{1UL << 30, 1UL << 30};  // the stacks of so many threads need more
    if (setrlimit(RLIMIT_AS, &memory)) throw std::runtime_error("setrlimit");
    by_serbench("works", false, 1000, samples);
  } catch (const std::runtime_error& error) {
    std::printf("threw %s\n", error.what());
  }
}
