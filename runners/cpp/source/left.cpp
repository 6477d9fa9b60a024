#include "serbench/left.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace serbench {
namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

template <class Number>
void put(std::vector<std::byte>& record, Number number) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&number);
  record.insert(record.end(), bytes, bytes + sizeof number);
}

void put_bytes(std::vector<std::byte>& record, Bytes bytes) {
  record.insert(record.end(), bytes.begin(), bytes.end());
}

std::runtime_error failed(const std::string& path) {
  return std::runtime_error(path + " cannot be written: " + std::strerror(errno));
}

}  // namespace

LeftFile::LeftFile(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw failed(path_);
}

LeftFile::~LeftFile() { close(file_); }

void LeftFile::append(std::string_view cell, Left kind, std::size_t message,
                      std::span<const std::uint32_t> edits, Bytes body) {
  record_.assign(sizeof(std::uint32_t), std::byte{0});  // for the length
  put(record_, static_cast<std::uint8_t>(cell.size()));
  put_bytes(record_, as_bytes(cell));
  put(record_, kind);
  put(record_, std::uint8_t{0});  // no walk, since sums are held to canonical bytes here
  put(record_, static_cast<std::uint32_t>(message));
  put(record_, static_cast<std::uint32_t>(edits.size()));
  put_bytes(record_, {reinterpret_cast<const std::byte*>(edits.data()), edits.size_bytes()});
  put_bytes(record_, body);
  const auto length = static_cast<std::uint32_t>(record_.size() - sizeof(std::uint32_t));
  std::memcpy(record_.data(), &length, sizeof length);
  for (std::size_t at = 0; at < record_.size();) {
    const ssize_t written = write(file_, record_.data() + at, record_.size() - at);
    if (written < 0 && errno != EINTR) throw failed(path_);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

}  // namespace serbench
