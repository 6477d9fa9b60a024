#include "serbench/dataset.hpp"

#include <cstring>
#include <stdexcept>

namespace serbench {
namespace {

struct Header {  // docs/protocol.md, "Dataset files"
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t messages;
  std::uint64_t body_bytes;
  std::byte body_sha256[32];
  std::byte schema_sha256[32];
};
static_assert(sizeof(Header) == 96);

std::string hexadecimal(Bytes bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[static_cast<unsigned>(byte) >> 4];
    text += digits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace

std::vector<std::byte> contents_of(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error(path + " cannot be opened: " + std::strerror(errno));
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::rewind(file);
  std::vector<std::byte> data(size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t read = data.empty() ? 0 : std::fread(data.data(), 1, data.size(), file);
  std::fclose(file);
  if (read != data.size()) throw std::runtime_error(path + " cannot be read whole");
  return data;
}

MessageFile::MessageFile(const std::string& path) : data_(contents_of(path)) {}

MessageFile MessageFile::open_dataset(const std::string& path, const std::string& schema) {
  MessageFile file(path);
  Header header;
  if (file.data_.size() < sizeof header) throw std::runtime_error(path + " is too short for a dataset");
  std::memcpy(&header, file.data_.data(), sizeof header);
  if (std::memcmp(header.magic, "SERBENCH", 8) != 0) throw std::runtime_error(path + " is no dataset");
  if (header.version != 1) {
    throw std::runtime_error(path + " has version " + std::to_string(header.version) +
                             "; this runner reads version 1");
  }
  const std::string found = hexadecimal(header.schema_sha256);
  if (found != schema)
    throw std::runtime_error(path + " has the schema " + found + "; this runner was built for " + schema);
  const std::size_t body = sizeof header + header.header_bytes;
  if (file.data_.size() != body + header.body_bytes) {
    throw std::runtime_error(path + " has " + std::to_string(file.data_.size()) +
                             " bytes; its header promises " + std::to_string(body + header.body_bytes));
  }
  file.split(body);
  if (file.messages_.size() != header.messages)
    throw std::runtime_error(path + " does not hold as many messages as it promises");
  return file;
}

MessageFile MessageFile::open_messages(const std::string& path) {
  MessageFile file(path);
  file.split(0);
  return file;
}

void MessageFile::split(std::size_t from) {
  const Bytes all(data_);
  for (std::size_t at = from; at < all.size();) {
    std::uint32_t length = 0;
    if (all.size() - at < sizeof length) throw std::runtime_error("a message's length is cut off");
    std::memcpy(&length, all.data() + at, sizeof length);
    at += sizeof length;
    if (all.size() - at < length) throw std::runtime_error("a message is cut off");
    messages_.push_back(all.subspan(at, length));
    at += length;
  }
}

MessageWriter::MessageWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) throw std::runtime_error(path + " cannot be written: " + std::strerror(errno));
}

MessageWriter::~MessageWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void MessageWriter::write(Bytes message) {
  if (message.size() > UINT32_MAX) throw std::runtime_error("a message is longer than 2^32 - 1 bytes");
  const auto length = static_cast<std::uint32_t>(message.size());
  // An empty message may have no address, and the C library does not take a null pointer.
  if (std::fwrite(&length, sizeof length, 1, file_) != 1 ||
      (!message.empty() && std::fwrite(message.data(), 1, message.size(), file_) != message.size())) {
    throw std::runtime_error(path_ + " cannot be written: " + std::strerror(errno));
  }
}

void MessageWriter::close() {
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) throw std::runtime_error(path_ + " cannot be written: " + std::strerror(errno));
}

}  // namespace serbench
