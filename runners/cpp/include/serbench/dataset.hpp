// Reads dataset files and files of encoded messages (docs/protocol.md).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "serbench/bytes.hpp"

namespace serbench {

/// All bytes of a file. Throws std::runtime_error where it cannot be read.
std::vector<std::byte> contents_of(const std::string& path);

/// A file in memory with views of the length-prefixed messages in it.
class MessageFile {
 public:
  /// A dataset of the schema with this SHA-256. Throws std::runtime_error where the file is no dataset, is
  /// truncated, or has another schema. The body's digest is the orchestrator's to check.
  static MessageFile open_dataset(const std::string& path, const std::string& schema);
  /// Length-prefixed messages and nothing else.
  static MessageFile open_messages(const std::string& path);

  const std::vector<Bytes>& messages() const { return messages_; }

 private:
  std::vector<std::byte> data_;
  std::vector<Bytes> messages_;

  explicit MessageFile(const std::string& path);
  void split(std::size_t from);
};

/// Writes length-prefixed messages.
class MessageWriter {
 public:
  explicit MessageWriter(const std::string& path);
  ~MessageWriter();
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;

  void write(Bytes message);
  /// Throws where anything could not be written.
  void close();

 private:
  std::string path_;
  std::FILE* file_;
};

}  // namespace serbench
