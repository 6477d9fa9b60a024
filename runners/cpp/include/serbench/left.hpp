// The file of what passes leave, which serbench judges: this process holds the codec, and would
// ask it to confirm itself (docs/protocol.md, "What passes leave").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/bytes.hpp"

namespace serbench {

enum class Left : std::uint8_t {
  canonical = 0,  ///< canonical bytes of what an operation gave
  encoded = 1,    ///< bytes that an operation encoded
  restored = 3,   ///< bytes that passes have changed in place an even number of times
};

/// Writes one record after the other. Each is in the file as soon as it is written, also where the process
/// dies.
class LeftFile {
 public:
  explicit LeftFile(const std::string& path);
  ~LeftFile();
  LeftFile(const LeftFile&) = delete;
  LeftFile& operator=(const LeftFile&) = delete;

  /// Appends what an operation left of a message in which edits with these numbers are in force; throws
  /// std::runtime_error where it cannot.
  void append(std::string_view cell, Left kind, std::size_t message, std::span<const std::uint32_t> edits,
              Bytes body);

 private:
  std::string path_;
  int file_;
  std::vector<std::byte> record_;
};

}  // namespace serbench
