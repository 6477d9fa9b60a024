// The words of the command line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/runner.hpp"

namespace serbench {

inline constexpr char expected_words[] =
    "expected describe, measure, calls, encode, decode, relay, update, probe or check";

/// A command. Every option takes a value; each command reads those it needs.
class Arguments {
 public:
  explicit Arguments(std::span<char* const> words) {
    if (words.empty()) throw std::invalid_argument(std::string("no command; ") + expected_words);
    command = words[0];
    for (std::size_t n = 1; n < words.size(); n += 2) {
      const std::string name = words[n];
      if (!name.starts_with("--") || n + 1 == words.size()) {
        throw std::invalid_argument("expected --NAME VALUE, found " + name);
      }
      values_[name.substr(2)] = words[n + 1];
    }
  }

  /// The commands of a command line, between which a '+' stands.
  static std::vector<Arguments> parse(int argc, char** argv) {
    std::vector<Arguments> commands;
    char** const end = argv + argc;
    for (char** begin = argv + 1;; ++begin) {
      char** const next = std::find(begin, end, std::string_view("+"));
      commands.emplace_back(std::span(begin, next));
      if (next == end) return commands;
      begin = next;
    }
  }

  std::string command;

  const std::string& get(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw std::invalid_argument(command + " needs --" + name);
    return found->second;
  }
  std::string get(const std::string& name, const std::string& fallback) const {
    return values_.contains(name) ? values_.at(name) : fallback;
  }
  std::int64_t number(const std::string& name, std::int64_t fallback) const {
    return values_.contains(name) ? std::stoll(values_.at(name)) : fallback;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// Refuses a wrong `--place`, of which at_drawn_place, which used it before anything else, said nothing.
inline void check_place(const std::string& text) {
  if (!text.empty() && text.size() <= 19 && text.find_first_not_of("0123456789") == std::string::npos) return;
  throw std::invalid_argument("found --place " + text + ", expected a whole number below 10^19");
}

inline Memory parse_memory(const std::string& text) {
  if (text == "reuse") return Memory::reuse;
  if (text == "fresh") return Memory::fresh;
  throw std::invalid_argument("found memory policy '" + text + "', expected reuse or fresh");
}

}  // namespace serbench
