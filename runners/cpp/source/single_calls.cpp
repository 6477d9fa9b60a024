#include "serbench/single_calls.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "serbench/clock.hpp"
#include "serbench/output.hpp"
#include "serbench/place.hpp"
#include "serbench/usage.hpp"

namespace serbench {
namespace {

using Times = std::vector<std::uint64_t>;

/// Nanoseconds of the monotonic clock as the C library reads it, without a system call: one before each short
/// call would be most of its time. It is held to the system's, by `check_clock` and by the time of all calls.
std::int64_t ticks() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second_ns + time.tv_nsec;
}

/// Makes so many calls, or as many as take `longest_ns`; `take` chooses the message of each by its number.
template <class Take>
Times timed_calls(const Pass& pass, std::size_t count, std::int64_t longest_ns, Take&& take) {
  Times calls;
  calls.reserve(count);
  const std::int64_t begun = ticks();
  while (calls.size() < count) {
    take(calls.size());
    const std::int64_t start = ticks();
    pass();
    const std::int64_t end = ticks();
    calls.push_back(static_cast<std::uint64_t>(end - start));
    if (end - begun > longest_ns) break;
  }
  return calls;
}

/// The time that the clock, the loop and the call of a pass take without any work: the median of many.
std::int64_t clock_cost() {
  constexpr std::size_t count = 4001;
  const Pass nothing = [] {};
  Times calls = timed_calls(nothing, count, second_ns, [](std::size_t) {});
  const auto middle = calls.begin() + static_cast<std::ptrdiff_t>(calls.size() / 2);
  std::nth_element(calls.begin(), middle, calls.end());
  return static_cast<std::int64_t>(*middle);
}

/// The least step of the clock.
std::int64_t clock_resolution() {
  constexpr int readings = 4001;
  std::int64_t least = second_ns;
  std::int64_t before = ticks();
  for (int n = 0; n < readings; ++n) {
    const std::int64_t now = ticks();
    if (now > before) least = std::min(least, now - before);
    before = now;
  }
  return least;
}

void write_calls(const std::string& path, const Times& calls) {
  std::ofstream file(path, std::ios::binary);
  const std::array<std::uint32_t, 2> version{1, 0};
  const std::uint64_t count = calls.size();
  file.write("SERBCALL", 8);
  file.write(reinterpret_cast<const char*>(version.data()), sizeof version);
  file.write(reinterpret_cast<const char*>(&count), sizeof count);
  file.write(reinterpret_cast<const char*>(calls.data()),
             static_cast<std::streamsize>(calls.size() * sizeof(std::uint64_t)));
  file.close();
  if (!file) throw std::runtime_error(path + " cannot be written");
}

}  // namespace

void time_calls(const Arguments& arguments, Subject& subject, std::int64_t loading_ns) {
  check_place(arguments.get("place", "0"));
  const std::string& cell = arguments.get("cell");
  const std::size_t colon = cell.find(':');
  if (colon == std::string::npos)
    throw std::invalid_argument("found cell '" + cell + "', expected OPERATION:MEMORY");
  const std::string operation = cell.substr(0, colon);
  const std::string memory = cell.substr(colon + 1);
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(arguments.number("calls", 10'000), 1));
  const std::int64_t longest_ns = arguments.number("longest-ns", second_ns);
  const std::int64_t warmup_ns = arguments.number("warmup-ns", 0);
  const std::int64_t only = arguments.number("message", -1);
  const std::int64_t begun = now_ns();
  const Pass pass = subject.prepare(operation, parse_memory(memory)).pass;
  const std::int64_t preparing_ns = now_ns() - begun;
  // Drawn before anything is timed: a draw takes longer than a short call.
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t& each : order)
    each = static_cast<std::uint32_t>((only >= 0 ? static_cast<std::uint64_t>(only) : drawn_number()) %
                                      subject.messages());
  const auto take = [&](std::size_t call) { subject.take_alone(order[call % count]); };
  std::size_t warmups = 0;
  for (const std::int64_t start = now_ns(); warmup_ns > 0 && now_ns() - start < warmup_ns; ++warmups) {
    take(warmups);
    pass();
  }
  const Reading before = reading();
  const Times calls = timed_calls(pass, count, longest_ns, take);
  const Reading after = reading();
  const Usage used = after - before;
  check_clock();
  write_calls(arguments.get("out"), calls);
  say(R"({"event":"called","operation":)" + quoted(operation) + R"(,"memory":)" + quoted(memory) +
      R"(,"calls":)" + std::to_string(calls.size()) + R"(,"warmups":)" + std::to_string(warmups) +
      R"(,"clock_ns":)" + std::to_string(clock_cost()) + R"(,"resolution_ns":)" +
      std::to_string(clock_resolution()) + R"(,"loading_ns":)" + std::to_string(loading_ns) +
      R"(,"preparing_ns":)" + std::to_string(preparing_ns) + R"(,"elapsed_ns":)" +
      std::to_string(after.clock_ns - before.clock_ns) + R"(,"waited_ns":)" + std::to_string(used.waited_ns) +
      R"(,"stolen_ns":)" + std::to_string(used.stolen_ns) + "}");
}

}  // namespace serbench
