#include "serbench/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace serbench {
namespace {

int events = STDOUT_FILENO;  // where they go
int stand_in = -1;           // stands in for standard output

void write_whole(const char* bytes, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t written = write(events, bytes + at, size - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw std::runtime_error(std::string("an event cannot be written: ") + std::strerror(errno));
    at += static_cast<std::size_t>(written);
  }
}

int file_in_memory() {
#ifdef __linux__
  return memfd_create("printed", MFD_CLOEXEC);
#else
  std::FILE* file = std::tmpfile();
  return file == nullptr ? -1 : fileno(file);
#endif
}

}  // namespace

void keep_output() {
  std::fflush(stdout);
  const int file = file_in_memory();
  if (file < 0) return;
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (kept < 0 || dup2(file, STDOUT_FILENO) < 0) return;
  events = kept;
  stand_in = file;
}

void say(const std::string& event) {
  // Not as one string: that would be an allocation, which counting.cpp would count.
  write_whole(event.data(), event.size());
  write_whole("\n", 1);
}

std::string printed() {
  std::fflush(stdout);
  std::array<char, 80> begin{};
  const ssize_t size = stand_in < 0 ? 0 : pread(stand_in, begin.data(), begin.size(), 0);
  return {begin.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[7];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
  }
  return out + '"';
}

std::string with_room() {
  std::string line;
  line.reserve(1024);
  return line;
}

}  // namespace serbench
