#include "serbench/isolated.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <typeinfo>

#include "serbench/bytes.hpp"

namespace serbench {
namespace {

constexpr rlim_t most_memory = rlim_t{1} << 30;

/// A child's note for its parent, in memory that both have.
struct Note {
  bool whole;
  Outcome::Kind kind;
  char reason[201];
  const char* by;  // a literal, which lies at the same place in both
};

class SharedNote {
 public:
  SharedNote()
      : note_(mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (note_ == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "no memory to share with a child");
  }
  ~SharedNote() { munmap(note_, sizeof(Note)); }
  SharedNote(const SharedNote&) = delete;
  SharedNote& operator=(const SharedNote&) = delete;
  Note* operator->() const { return static_cast<Note*>(note_); }

 private:
  void* note_;
};

/// Address space that this process has now, in bytes; where the system does not tell, as much as it may have
/// besides.
rlim_t used_memory() {
  unsigned long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return most_memory;
  const bool told = std::fscanf(file, "%lu", &pages) == 1;
  std::fclose(file);
  return told ? rlim_t{pages} * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) : most_memory;
}

void set_limit(int resource, rlim_t most) {
  rlimit limit{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min(most, limit.rlim_max);
  setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit);
}

/// How many times the limit may go by on the clock: on a busy machine, a message that takes little time may
/// wait for a core for seconds.
constexpr int longer_by_the_clock = 2;

void start_timer(int which, std::chrono::milliseconds limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  itimerval timer{};
  timer.it_value.tv_sec = seconds.count();
  timer.it_value.tv_usec = std::chrono::microseconds(limit - seconds).count();
  setitimer(static_cast<decltype(ITIMER_REAL)>(which), &timer, nullptr);
}

/// Ends this process after so much processor time, or, where it waits or sleeps, twice as much by the clock.
void end_after(std::chrono::milliseconds limit) {
  std::signal(SIGPROF, SIG_DFL);
  std::signal(SIGALRM, SIG_DFL);
  start_timer(ITIMER_PROF, limit);
  start_timer(ITIMER_REAL, longer_by_the_clock * limit);
}

volatile bool new_failed = false;

void write_down(Note& note, Outcome::Kind kind, std::string_view reason, const char* by = "") {
  note.kind = kind;
  note.by = by;
  const std::size_t size = std::min(reason.size(), sizeof note.reason - 1);
  std::memcpy(note.reason, reason.data(), size);
  note.reason[size] = '\0';
}

/// The allocator tells what kind of exception was thrown: the C library sets errno whenever it refuses
/// memory, whoever throws then.
Outcome::Kind kind_thrown(int error) {
  return new_failed || error == ENOMEM ? Outcome::Kind::memory : Outcome::Kind::refused;
}

void answer(const std::function<void()>& call, Note& note) {
  errno = 0;
  try {
    call();
    write_down(note, Outcome::Kind::accepted, "");
  } catch (const Unexpected& error) {
    write_down(note, Outcome::Kind::crash, error.what());
  } catch (const std::exception& error) {
    write_down(note, kind_thrown(errno), error.what(), origin_of(error));
  } catch (...) {
    write_down(note, kind_thrown(errno), "an exception without a message", "library");
  }
}

[[noreturn]] void be_child(const std::function<void()>& call, std::chrono::milliseconds limit, Note& note) {
  dup2(STDERR_FILENO, STDOUT_FILENO);  // text that a library prints is no event
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_AS, used_memory() + most_memory);
  std::set_new_handler([] {
    new_failed = true;
    throw std::bad_alloc();
  });
  end_after(limit);
  answer(call, note);
  if (note.kind != Outcome::Kind::memory) {
    set_limit(RLIMIT_AS, RLIM_INFINITY);  // for a moment there are objects of two messages
    try {
      call();
    } catch (...) {  // as before
    }
  }
  note.whole = true;
  _exit(0);
}

Outcome judged(int status, const Note& note, std::chrono::milliseconds limit) {
  using Kind = Outcome::Kind;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGPROF || signal == SIGALRM) {
      return {Kind::hang,
              "no end after " + std::to_string(limit.count()) + " ms of processor time, or twice as long"};
    }
    return {Kind::crash, "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"};
  }
  if (!note.whole)
    return {Kind::crash, "ended the process with status " + std::to_string(WEXITSTATUS(status))};
  return {note.kind, note.reason, note.by};
}

}  // namespace

const char* origin_of(const std::exception& error) {
  if (dynamic_cast<const Unexpected*>(&error) != nullptr) return "";
  const bool is_ours = dynamic_cast<const DecodeError*>(&error) != nullptr;
  return is_ours && dynamic_cast<const LibraryError*>(&error) == nullptr ? "adapter" : "library";
}

Outcome isolated(const std::function<void()>& call, std::chrono::milliseconds limit) {
  const SharedNote note;
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "no process for a message");
  if (child == 0) be_child(call, limit, *note.operator->());
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "a message's process is lost");
  }
  return judged(status, *note.operator->(), limit);
}

std::string class_of(const std::exception& error) {
  const char* const mangled = typeid(error).name();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return name == nullptr ? mangled : name.get();
}

}  // namespace serbench
