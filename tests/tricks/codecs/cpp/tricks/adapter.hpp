// Codecs that want to look good: each does its work, in the canonical encoding, and has one trick besides.
// Verification has to catch every one of them (tests/test_tricks.py); none is of any use.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "chosen.hpp"
#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"
#include "updates.hpp"

namespace serbench {
namespace tricks {

enum class Trick {
  by_address,       // gives the output that it remembers of the message at this address
  by_address_copy,  // the same, copied
  by_fingerprint,   // the same by a glance at the message
  in_static,        // the same in static storage, which outlives the encoder
  same_bytes,       // leaves the domain object alone when the bytes are those of before
  command_line,     // has a trick unless its own command line is that of a verification
  honest_at_first,  // has a trick from the 501st call on
  beside,           // bytes travel in a file beside the bytes
  reads_past,       // reads bytes behind its input
  forks,            // leaves a process behind
  threads,          // leaves a thread at work
  leaks,            // forgets its buffers
  prints,           // prints samples of its own
  finishes,         // no trick: has a thread that works for a moment after the last call
};

/// The parts of a value that a glance tells: the first and the last.
template <Back back = Back::no, class T>
std::uint64_t glance(const T& value) {
  if constexpr (Number<T>) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  } else if constexpr (String<T> || ByteString<T>) {
    return value.size();
  } else if constexpr (List<T> && !std::same_as<T, std::vector<bool>>) {
    return value.size() +
           (value.empty() ? 0 : 31 * glance<back>(value.front()) + 37 * glance<back>(value.back()));
  } else if constexpr (Reflected<T>) {
    std::uint64_t sum = 0;
    for_each_part(value,
                  [&](const auto& part, auto part_back) { sum = 41 * sum + glance<part_back()>(part); });
    return sum;
  } else {
    return sizeof value;
  }
}

/// As libraries do that hold connections: a thread that sees to something once there was no call for a while.
class Finisher {
 public:
  Finisher() {
    std::thread([this] { work(); }).detach();
  }
  void called() { calls_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> calls_ = 0;

  [[noreturn]] void work() {
    using namespace std::chrono_literals;
    for (std::uint64_t seen = 0, finished = 0;;) {
      std::this_thread::sleep_for(1ms);
      const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
      if (calls == seen && seen != finished) {
        const auto end = std::chrono::steady_clock::now() + 6ms;
        while (std::chrono::steady_clock::now() < end) {
        }
        finished = seen;
      }
      seen = calls;
    }
  }
};

inline bool is_measuring() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  return words.find("measure") != std::string::npos;
}

template <class Root, Trick trick>
class Encoder {
 public:
  Bytes encode(const Root& root) {
    if constexpr (trick == Trick::in_static || trick == Trick::command_line ||
                  trick == Trick::honest_at_first) {
      static std::map<const Root*, canonical::Buffer> known;
      static int calls = 0;
      const bool cheats =
          trick == Trick::honest_at_first ? ++calls > 500 : trick == Trick::in_static || is_measuring_;
      return remembered(root, known[&root], cheats);
    } else if constexpr (trick == Trick::by_address) {
      return remembered(root, by_address_[&root], true);
    } else if constexpr (trick == Trick::by_address_copy) {
      const Bytes known = remembered(root, by_address_[&root], true);
      whole_.assign(known.begin(), known.end());
      return whole_;
    } else if constexpr (trick == Trick::by_fingerprint) {
      return remembered(root, by_fingerprint_[glance(root)], true);
    } else if constexpr (trick == Trick::beside) {
      return written_beside(root);
    } else {
      return honest(root);
    }
  }

 private:
  canonical::Buffer whole_;
  canonical::Buffer* volatile forgotten_ = nullptr;
  std::map<const Root*, canonical::Buffer> by_address_;
  std::map<std::uint64_t, canonical::Buffer> by_fingerprint_;
  const bool is_measuring_ = is_measuring();

  static Bytes remembered(const Root& root, canonical::Buffer& known, bool cheats) {
    if (known.empty() || !cheats) {
      known.clear();
      canonical::encode(root, known);
    }
    return known;
  }

  Bytes honest(const Root& root) {
    if constexpr (trick == Trick::forks) {
      static const pid_t child = fork();
      if (child == 0) {
        setsid();
        pause();
        _exit(0);
      }
    }
    if constexpr (trick == Trick::threads) {
      static const bool started = [] {
        std::thread([] {
          for (volatile std::uint64_t n = 0;; n = n + 1) {
          }
        }).detach();
        return true;
      }();
      (void)started;
    }
    if constexpr (trick == Trick::finishes) {
      static Finisher finisher;
      finisher.called();
    }
    if constexpr (trick == Trick::leaks) forgotten_ = new canonical::Buffer(256);
    if constexpr (trick == Trick::prints) {
      std::printf(
          R"({"event":"sample","operation":"serialize","memory":"reuse","iterations":1000000,"elapsed_ns":1})"
          "\n");
    }
    whole_.clear();
    canonical::encode(root, whole_);
    return whole_;
  }

  /// Eight bytes, which are the name of a file that has the others.
  Bytes written_beside(const Root& root) {
    static std::uint64_t number = static_cast<std::uint64_t>(getpid()) << 32;
    ++number;
    whole_.clear();
    canonical::encode(root, whole_);
    std::ofstream file("/tmp/serbench-beside-" + std::to_string(number), std::ios::binary);
    file.write(as_chars(whole_), static_cast<std::streamsize>(whole_.size()));
    whole_.resize(sizeof number);
    std::memcpy(whole_.data(), &number, sizeof number);
    return whole_;
  }
};

template <class Root, Trick trick>
class Decoder {
 public:
  void decode(Bytes bytes, Root& root) {
    canonical::Buffer read;
    if constexpr (trick == Trick::same_bytes) {
      if (&root == last_root_ && std::ranges::equal(bytes, last_)) return;
      last_root_ = &root;
      last_.assign(bytes.begin(), bytes.end());
    }
    if constexpr (trick == Trick::reads_past) {
      const volatile std::byte* behind = bytes.data() + bytes.size();
      for (int n = 0; n < 64; ++n) (void)behind[n];
    }
    if constexpr (trick == Trick::beside) {
      std::uint64_t number = 0;
      std::memcpy(&number, bytes.data(), sizeof number);
      std::ifstream file("/tmp/serbench-beside-" + std::to_string(number), std::ios::binary);
      for (char c = 0; file.get(c);) read.push_back(static_cast<std::byte>(c));
      bytes = read;
    }
    canonical::Reader reader(bytes);
    reader.decode(root);
    reader.finish();
  }

 private:
  const Root* last_root_ = nullptr;
  canonical::Buffer last_;
};

template <class Root, Trick trick>
struct Adapter {
  using Encoder = tricks::Encoder<Root, trick>;
  using Decoder = tricks::Decoder<Root, trick>;
};

}  // namespace tricks

template <class Root>
using ByAddress = tricks::Adapter<Root, tricks::Trick::by_address>;
template <class Root>
using ByAddressCopy = tricks::Adapter<Root, tricks::Trick::by_address_copy>;
template <class Root>
using ByFingerprint = tricks::Adapter<Root, tricks::Trick::by_fingerprint>;
template <class Root>
using InStatic = tricks::Adapter<Root, tricks::Trick::in_static>;
template <class Root>
using SameBytes = tricks::Adapter<Root, tricks::Trick::same_bytes>;
template <class Root>
using CommandLine = tricks::Adapter<Root, tricks::Trick::command_line>;
template <class Root>
using HonestAtFirst = tricks::Adapter<Root, tricks::Trick::honest_at_first>;
template <class Root>
using Beside = tricks::Adapter<Root, tricks::Trick::beside>;
template <class Root>
using ReadsPast = tricks::Adapter<Root, tricks::Trick::reads_past>;
template <class Root>
using Forks = tricks::Adapter<Root, tricks::Trick::forks>;
template <class Root>
using Threads = tricks::Adapter<Root, tricks::Trick::threads>;
template <class Root>
using Leaks = tricks::Adapter<Root, tricks::Trick::leaks>;
template <class Root>
using Finishes = tricks::Adapter<Root, tricks::Trick::finishes>;
template <class Root>
using Prints = tricks::Adapter<Root, tricks::Trick::prints>;

}  // namespace serbench
