#include "serbench/place.hpp"

#include <alloca.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "serbench/sanitized.hpp"
#include "serbench/sink.hpp"
#include "serbench/writer_schema.hpp"

namespace serbench {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t alignment = 16;
constexpr std::size_t all_gaps = 256 * 1024;

std::optional<std::uint64_t> state;  // the generator's; none where nothing is to be drawn

/// The generator SplitMix64: G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number
/// generators" (OOPSLA 2014).
std::uint64_t draw() {
  std::uint64_t z = *state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// A multiple of 16 below `limit`, which is one too.
std::size_t drawn_below(std::size_t limit) { return state ? alignment * (draw() % (limit / alignment)) : 0; }

/// The number of `--place`; a word that is no number is refused by the command that reads it.
std::optional<std::uint64_t> seed_among(int argc, char** argv) {
  for (int n = 1; n + 1 < argc; ++n) {
    const std::string_view name = argv[n];
    const std::string_view value = argv[n + 1];
    std::uint64_t seed = 0;
    if (name == "--place" &&
        std::from_chars(value.data(), value.data() + value.size(), seed).ec == std::errc()) {
      return seed;
    }
  }
  return std::nullopt;
}

/// Reads the file that `--writer-schema` names in front of all commands; returns how many words that takes. A
/// file that cannot be read takes none, and so the words are refused as a command.
int take_writer_schema(int argc, char** argv) {
  if (argc < 3 || argv[1] != std::string_view("--writer-schema")) return 0;
  std::ifstream file(argv[2], std::ios::binary);
  if (!file) return 0;
  writer_schema.assign(std::istreambuf_iterator<char>(file), {});
  return 2;
}

}  // namespace

int at_drawn_place(int argc, char** argv, int (*program)(int, char**)) {
  const int taken = take_writer_schema(argc, argv);
  argc -= taken;
  argv += taken;
  state = seed_among(argc, argv);
  leave_gap(1);
  if (const std::size_t size = drawn_below(page))
    consume(Bytes(static_cast<const std::byte*>(alloca(size)), 1));
  const int status = program(argc, argv);
  consume_number(
      static_cast<std::uint64_t>(status));  // the stack is given back after the call and not before
  return status;
}

std::size_t drawn_gap(std::size_t things) {
  if (things == 0) return 0;
  return drawn_below(std::clamp(all_gaps / things / alignment * alignment, 2 * alignment, page));
}

std::uint64_t drawn_number() { return state ? draw() : 0; }

void leave_gap(std::size_t things) {
  if (const std::size_t size = drawn_gap(things)) {
    consume(Bytes(static_cast<const std::byte*>(meant_to_leak(std::malloc(size))), 1));
  }
}

}  // namespace serbench
