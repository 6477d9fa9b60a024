#include "serbench/usage.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "serbench/clock.hpp"

namespace serbench {
namespace {

/// A file of /proc into a buffer that is no part of the codec's heap; empty where there is none.
template <std::size_t size>
std::string_view contents(const char* path, char (&buffer)[size]) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::size_t length = 0;
  ssize_t got = 0;
  while (length < size && (got = read(file, buffer + length, size - length)) > 0)
    length += static_cast<std::size_t>(got);
  close(file);
  return {buffer, length};
}

/// Takes the next number off the front of `text`; -1 where there is none.
std::int64_t next_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

#ifdef __linux__
/// The eighth number of each core's line in /proc/stat (proc(5)), of those that this thread may run on.
std::int64_t stolen_ns() {
  static char buffer[1 << 16];
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  std::string_view text = contents("/proc/stat", buffer);
  std::int64_t ticks = -1;
  for (; text.starts_with("cpu"); text.remove_prefix(std::min(text.find('\n') + 1, text.size()))) {
    std::string_view line = text.substr(3, text.find('\n') - 3);
    if (line.starts_with(' ')) continue;  // the sum over all cores
    const std::int64_t core = next_number(line);
    if (core < 0 || core >= CPU_SETSIZE || !CPU_ISSET(core, &allowed)) continue;
    for (int n = 0; n < 7; ++n) next_number(line);
    const std::int64_t stolen = next_number(line);
    if (stolen >= 0) ticks = std::max<std::int64_t>(ticks, 0) + stolen;
  }
  return ticks < 0 ? -1 : ticks * (second_ns / sysconf(_SC_CLK_TCK));
}
#else
std::int64_t stolen_ns() { return -1; }
#endif

/// Calls `each` with the number of every thread of a process.
template <class Each>
void for_each_thread(const std::string& process, Each each) {
  const std::string path = "/proc/" + process + "/task";
  DIR* tasks = opendir(path.c_str());
  if (tasks == nullptr) return;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] != '.') each(path + "/" + entry->d_name);
  }
  closedir(tasks);
}

/// The second number of a thread's scheduler statistics (Linux's Documentation/scheduler/sched-stats.rst):
/// time that it was ready and did not run.
std::int64_t delayed_ns(const std::string& thread) {
  char buffer[128];
  std::string_view text = contents((thread + "/schedstat").c_str(), buffer);
  next_number(text);
  return next_number(text);
}

/// Processor time of the children that a thread started and of theirs, while they live.
std::int64_t living_children_ns(const std::string& thread) {
  char buffer[4096];
  std::string_view text = contents((thread + "/children").c_str(), buffer);
  std::int64_t sum = 0;
  for (std::int64_t child = next_number(text); child > 0; child = next_number(text)) {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(static_cast<pid_t>(child), &clock) == 0 && clock_gettime(clock, &time) == 0) {
      sum += time.tv_sec * second_ns + time.tv_nsec;
    }
    for_each_thread(std::to_string(child), [&](const std::string& own) { sum += living_children_ns(own); });
  }
  return sum;
}

/// The text behind a name in a thread's status (proc(5)); empty where it is not told.
std::string_view told(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(name);
  return at == std::string_view::npos ? std::string_view() : status.substr(at + name.size());
}

/// The second number of statm (proc(5)), which counts pages; 0 where there is none.
std::int64_t resident_bytes() {
  char buffer[128];
  std::string_view text = contents("/proc/self/statm", buffer);
  next_number(text);
  return std::max<std::int64_t>(0, next_number(text)) * sysconf(_SC_PAGESIZE);
}

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * second_ns + time.tv_nsec : 0;
}

std::int64_t nanoseconds(const timeval& time) { return time.tv_sec * second_ns + time.tv_usec * 1000; }

std::int64_t difference(std::int64_t before, std::int64_t after) {
  return before < 0 || after < 0 ? -1 : after - before;
}

}  // namespace

std::size_t count_threads() {
  struct stat tasks{};
  if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < 3) return 0;
  return tasks.st_nlink - 2;  // a folder has two links of its own, and one for each folder in it
}

ReadyThreads ready_threads() {
  ReadyThreads ready;
  for_each_thread("self", [&ready](const std::string& thread) {
    char buffer[8192];
    const std::string_view status = contents((thread + "/status").c_str(), buffer);
    std::string_view sleeps = told(status, "\nvoluntary_ctxt_switches:\t");
    if (told(status, "\nState:\t").starts_with('R') && !sleeps.empty()) ready[thread] = next_number(sleeps);
  });
  return ready;
}

bool some_stayed_ready(const ReadyThreads& before, const ReadyThreads& after) {
  return std::ranges::any_of(before, [&after](const auto& thread) {
    const auto found = after.find(thread.first);
    return found != after.end() && found->second == thread.second;
  });
}

Reading reading() {
  Reading now{};
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  now.involuntary_switches = used.ru_nivcsw;
  now.page_faults = used.ru_minflt + used.ru_majflt;
  now.stolen_ns = stolen_ns();
  now.resident_bytes = resident_bytes();
  now.delayed_ns = -1;
  const auto add = [&now](const std::string& thread) {
    const std::int64_t delayed = delayed_ns(thread);
    if (delayed >= 0) now.delayed_ns = std::max<std::int64_t>(now.delayed_ns, 0) + delayed;
    now.own_ns += living_children_ns(thread);
  };
  if (count_threads() == 1) {
    add("/proc/thread-self");
  } else {
    for_each_thread("self", add);
  }
  getrusage(RUSAGE_CHILDREN, &used);
  now.own_ns += nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
  // Read last and one right after the other, since our own time is subtracted from that of the clock.
  now.own_ns += nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  now.clock_ns = nanoseconds(CLOCK_MONOTONIC);
  return now;
}

Usage operator-(const Reading& after, const Reading& before) {
  Usage used{};
  used.involuntary_switches = after.involuntary_switches - before.involuntary_switches;
  used.page_faults = after.page_faults - before.page_faults;
  used.stolen_ns = difference(before.stolen_ns, after.stolen_ns);
  used.own_ns = std::max<std::int64_t>(0, after.own_ns - before.own_ns);
  used.grown_bytes = std::max<std::int64_t>(0, after.resident_bytes - before.resident_bytes);
  const std::int64_t left = after.clock_ns - before.clock_ns - used.own_ns;
  const std::int64_t delayed = difference(before.delayed_ns, after.delayed_ns);
  const bool told = before.delayed_ns >= 0 && after.delayed_ns >= 0;
  used.waited_ns = told ? std::max<std::int64_t>(0, std::min(delayed, left))
                        : -1;  // a thread that ended took its time along
  return used;
}

}  // namespace serbench
