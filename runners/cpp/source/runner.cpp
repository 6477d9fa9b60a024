#include "serbench/runner.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "serbench/arguments.hpp"
#include "serbench/clock.hpp"
#include "serbench/compiler.hpp"
#include "serbench/dataset.hpp"
#include "serbench/guarded.hpp"
#include "serbench/inputs.hpp"
#include "serbench/isolated.hpp"
#include "serbench/output.hpp"
#include "serbench/sampler.hpp"
#include "serbench/single_calls.hpp"
#include "serbench/threads.hpp"

namespace serbench {
namespace {

// A process that reads on behind a message is killed; sanitizers report it, and let it go on.
#ifdef SERBENCH_SANITIZED
using Received = AlignedBytes;
#else
using Received = GuardedBytes;
#endif

void describe(const Identity& identity, const Subject& subject) {
  std::string operations;
  for (const auto operation : subject.operations())
    operations += (operations.empty() ? "" : ",") + quoted(operation);
  say(R"({"event":"hello","protocol":1,"codec":)" + quoted(identity.codec) + R"(,"workload":)" +
      quoted(identity.workload) + R"(,"schema":)" + quoted(identity.schema) + R"(,"compiler":)" +
      quoted(compiler) + R"(,"edits":true,"floor":)" + (subject.is_floor() ? "true" : "false") +
      R"(,"relays":)" + (subject.relays() ? "true" : "false") + R"(,"in_place":)" +
      (subject.updates_in_place() ? "true" : "false") + R"(,"operations":[)" + operations + "]}");
}

void say_sampling(const std::string& operation, const std::string& memory, const Sampling& sampling,
                  std::size_t threads = 0) {
  const std::string of = threads == 0 ? "" : R"(,"threads":)" + std::to_string(threads);
  for (const Sample& s : sampling.samples) {
    say(with_room() + R"({"event":"sample","operation":)" + quoted(operation) + R"(,"memory":)" +
        quoted(memory) + of + R"(,"iterations":)" + std::to_string(s.iterations) + R"(,"elapsed_ns":)" +
        std::to_string(s.elapsed_ns) + R"(,"involuntary_switches":)" +
        std::to_string(s.used.involuntary_switches) + R"(,"waited_ns":)" + std::to_string(s.used.waited_ns) +
        R"(,"page_faults":)" + std::to_string(s.used.page_faults) + R"(,"stolen_ns":)" +
        std::to_string(s.used.stolen_ns) + R"(,"own_ns":)" + std::to_string(s.used.own_ns) +
        R"(,"grown_bytes":)" + std::to_string(s.used.grown_bytes) + R"(,"left":)" + std::to_string(s.left) +
        R"(,"warmups":)" + std::to_string(sampling.warmups) + R"(,"settled":)" +
        (sampling.settled ? "true" : "false") + "}");
  }
}

/// Throws where threads of the codec's are at work while no operation runs, since that work would be in no
/// sample. A library that works now and then is waited for. On a busy machine a thread may have no core for a
/// while, so there are several looks, which count threads that are ready to run all the time too.
void check_threads() {
  constexpr timespec pause{.tv_sec = 0, .tv_nsec = 2'000'000};
  constexpr int quiet_looks = 5, most_looks = 250;
  constexpr std::int64_t most_work_ns = 100'000'000;
  std::int64_t worked_ns = 0, waited_ns = 0;
  for (int looks = 1, quiet = 0; quiet < quiet_looks; ++looks) {
    const std::size_t threads = count_threads();
    if (threads < 2) return;
    const ReadyThreads ready = ready_threads();
    const Reading before = reading();
    nanosleep(&pause, nullptr);
    const Reading after = reading();
    const Usage used = after - before;
    waited_ns += after.clock_ns - before.clock_ns;
    if (used.own_ns <= pause.tv_nsec / 2 && !some_stayed_ready(ready, ready_threads())) {
      ++quiet;
      continue;
    }
    worked_ns += used.own_ns;
    if (worked_ns > most_work_ns || looks >= most_looks) {
      throw std::runtime_error("of the " + std::to_string(threads) +
                               " threads of this process, some are still at " +
                               "work when no operation runs: they took " + std::to_string(worked_ns / 1000) +
                               " microseconds of " + std::to_string(waited_ns / 1000));
    }
  }
}

/// Has the messages of a subject be those of --encoded, where another program wrote them.
void give(const Arguments& arguments, Subject& subject, const std::vector<Bytes>& canonical) {
  const std::string encoded = arguments.get("encoded", "");
  if (!encoded.empty()) subject.give(encoded, arguments.get("edits", ""), canonical);
}

/// --cells is a comma-separated list of OPERATION:MEMORY, measured in this order.
void measure(const Arguments& arguments, Subject& subject, const std::vector<Bytes>& canonical) {
  SamplerOptions options;
  options.sample_ns = arguments.number("sample-ns", options.sample_ns);
  options.iterations = arguments.number("iterations", options.iterations);
  options.samples = static_cast<int>(arguments.number("samples", options.samples));
  check_place(arguments.get("place", "0"));
  const auto threads = static_cast<std::size_t>(std::max<std::int64_t>(arguments.number("threads", 0), 0));
  const std::string edits = arguments.get("edits", "");
  if (!edits.empty()) arguments.get("place");  // edits are drawn by it, so it must be there
  const auto watch = [&](Subject& own) {
    if (!edits.empty()) own.watch(edits, arguments.get("left"), canonical);
  };
  if (threads == 0) watch(subject);
  const std::string& cells = arguments.get("cells");
  for (std::size_t at = 0; at < cells.size();) {
    const std::size_t end = std::min(cells.find(',', at), cells.size());
    const std::string cell = cells.substr(at, end - at);
    const std::size_t colon = cell.find(':');
    if (colon == std::string::npos)
      throw std::invalid_argument("found cell '" + cell + "', expected OPERATION:MEMORY");
    const std::string operation = cell.substr(0, colon);
    const std::string memory = cell.substr(colon + 1);
    at = end + 1;
    if (threads > 0) {
      const Ready ready = [&](Subject& own) {
        own.load(canonical);
        give(arguments, own, canonical);
        watch(own);
        return own.prepare(operation, parse_memory(memory));
      };
      say_sampling(operation, memory, sample_together(subject, ready, options, threads), threads);
      continue;
    }
    const Timed timed = subject.prepare(operation, parse_memory(memory));
    say_sampling(operation, memory, sampler(timed, options));
    if (timed.meet) timed.meet();
  }
  check_clock();
  check_threads();
}

/// Writes the bytes that encoded(n, memory) gives for each of so many messages into --out.
template <class Encoded>
void write_encoded(const char* event, const Arguments& arguments, std::size_t messages, Encoded&& encoded) {
  const Memory memory = parse_memory(arguments.get("memory", "reuse"));
  MessageWriter writer(arguments.get("out"));
  std::uint64_t bytes = 0;
  for (std::size_t n = 0; n < messages; ++n) {
    const Bytes message = encoded(n, memory);
    bytes += message.size();
    writer.write(message);
  }
  writer.close();
  say(R"({"event":)" + quoted(event) + R"(,"messages":)" + std::to_string(messages) + R"(,"bytes":)" +
      std::to_string(bytes) + "}");
}

/// Serializes every message into --out.
void encode(const Arguments& arguments, Subject& subject) {
  const auto of = [&](std::size_t n, Memory memory) { return subject.encode(n, memory); };
  write_encoded("encoded", arguments, subject.messages(), of);
}

/// Writes what a subject makes of each message of --encoded into --out.
template <auto made>
void make(const char* event, const Arguments& arguments, Subject& subject) {
  const MessageFile file = MessageFile::open_messages(arguments.get("encoded"));
  std::optional<Received> received;
  const auto of = [&](std::size_t n, Memory memory) {
    return (subject.*made)(received.emplace(file.messages()[n]), memory);
  };
  write_encoded(event, arguments, file.messages().size(), of);
}

/// Deserializes every message of --encoded and writes its canonical bytes to --out.
void decode(const Arguments& arguments, Subject& subject) {
  const Memory memory = parse_memory(arguments.get("memory", "reuse"));
  const std::string operation = arguments.get("operation", "decode");
  if (operation != "decode" && operation != "decode_fast") {
    throw std::invalid_argument("found operation '" + operation + "', expected decode or decode_fast");
  }
  const MessageFile file = MessageFile::open_messages(arguments.get("encoded"));
  MessageWriter writer(arguments.get("out"));
  canonical::Buffer canonical;
  for (const Bytes message : file.messages()) {
    const Received received(message);
    canonical.clear();
    subject.decode(received, operation == "decode_fast", memory, canonical);
    writer.write(canonical);
  }
  writer.close();
  say(R"({"event":"decoded","messages":)" + std::to_string(file.messages().size()) + "}");
}

void say_probed(std::size_t message, const Outcome& outcome) {
  using Kind = Outcome::Kind;
  static const std::map<Kind, std::string> harms{{Kind::crash, R"(,"harm":"crash")"},
                                                 {Kind::hang, R"(,"harm":"hang")"},
                                                 {Kind::memory, R"(,"harm":"memory")"}};
  const auto harm = harms.find(outcome.kind);
  say(R"({"event":"probed","message":)" + std::to_string(message) + R"(,"accepted":)" +
      (outcome.kind == Kind::accepted ? "true" : "false") + (harm == harms.end() ? "" : harm->second) +
      R"(,"reason":)" + quoted(std::string_view(outcome.reason).substr(0, 200)) + R"(,"by":)" +
      quoted(outcome.by) + "}");
}

/// Says of each message of --encoded whether it is decoded or refused; one that is neither ends this process.
/// With --limit-ms, for hostile messages, each has a process of its own, and what became of that is said.
void probe(const Arguments& arguments, Subject& subject) {
  using Kind = Outcome::Kind;
  const std::chrono::milliseconds limit(arguments.number("limit-ms", 0));
  if (limit.count() == 0) limit_memory();
  const MessageFile file = MessageFile::open_messages(arguments.get("encoded"));
  canonical::Buffer canonical;
  std::size_t number = 0;
  for (const Bytes message : file.messages()) {
    const GuardedBytes guarded(message);
    const auto decode = [&] {
      canonical.clear();
      try {
        subject.decode(guarded, false, Memory::fresh, canonical);
      } catch (const std::bad_alloc&) {
        if (canonical.empty()) throw;  // else it was decoded, and our own bytes have no room
      }
    };
    Outcome outcome{Kind::accepted, ""};
    if (limit.count() != 0) {
      outcome = isolated(decode, limit);
    } else {
      try {
        decode();
      } catch (const std::exception& error) {
        outcome = {Kind::refused, error.what(), origin_of(error)};
      }
    }
    say_probed(number++, outcome);
  }
}

/// Checks what only one process can see: outputs are not cached, and traverse and walk read the message;
/// only the latter where the bytes are another program's.
void check(Subject& subject, const MessageFile& dataset, bool encodes) {
  const auto& canonical = dataset.messages();
  for (std::size_t n = 1; encodes && n < canonical.size(); ++n) {
    if (std::ranges::equal(canonical[n - 1], canonical[n])) continue;
    const AlignedBytes before(subject.encode(n - 1, Memory::reuse));
    const AlignedBytes after(subject.encode(n, Memory::reuse));
    const AlignedBytes again(subject.encode(n - 1, Memory::reuse));
    if (std::ranges::equal(Bytes(before), Bytes(after))) {
      throw std::runtime_error("messages " + std::to_string(n - 1) + " and " + std::to_string(n) +
                               " differ, but were encoded to the same bytes");
    }
    if (Bytes(again).size() != Bytes(before).size()) {
      throw std::runtime_error("message " + std::to_string(n - 1) + " was encoded to " +
                               std::to_string(Bytes(before).size()) + " bytes and then to " +
                               std::to_string(Bytes(again).size()));
    }
  }
  subject.check_reading();
  say(R"({"event":"checked","messages":)" + std::to_string(canonical.size()) + "}");
}

/// The dataset that a subject was given last, kept for further commands that name the same one.
class Loaded {
 public:
  Loaded(const Identity& identity, Subject& subject) : identity_(identity), subject_(subject) {}

  const MessageFile& load(const std::string& path) {
    if (!file_ || path != path_) {
      file_.emplace(MessageFile::open_dataset(path, identity_.schema));
      path_ = path;
      subject_.load(file_->messages());
    }
    return *file_;
  }
  /// Has the next command read it again, since values have changed.
  void forget() { file_.reset(); }

 private:
  const Identity& identity_;
  Subject& subject_;
  std::string path_;
  std::optional<MessageFile> file_;
};

void dispatch(Subject& subject, const Arguments& arguments, Loaded& loaded) {
  if (arguments.command == "describe") return;
  if (arguments.command == "decode") return decode(arguments, subject);
  if (arguments.command == "relay") return make<&Subject::relay>("relayed", arguments, subject);
  if (arguments.command == "update") return make<&Subject::update>("updated", arguments, subject);
  if (arguments.command == "probe") return probe(arguments, subject);
  const std::int64_t begun = now_ns();
  const MessageFile& dataset = loaded.load(arguments.get("dataset"));
  if (arguments.command == "calls") return time_calls(arguments, subject, now_ns() - begun);
  if (arguments.command == "encode") return encode(arguments, subject);
  give(arguments, subject, dataset.messages());
  if (arguments.command == "measure") {
    measure(arguments, subject, dataset.messages());
    return loaded.forget();
  }
  if (arguments.command == "check") {
    const bool encodes = arguments.get("encoded", "").empty();
    check(subject, dataset, encodes);
    if (!encodes) loaded.forget();
    return;
  }
  throw std::invalid_argument("found command '" + arguments.command + "', " + expected_words);
}

}  // namespace

int run(const Identity& identity, Subject& subject, int argc, char** argv) {
  keep_output();
  const std::int64_t begin = now_ns();
  bool is_decoding = false;
  try {
    const std::vector<Arguments> commands = Arguments::parse(argc, argv);
    describe(identity, subject);
    Loaded loaded(identity, subject);
    for (const Arguments& each : commands) {
      is_decoding = each.command == "decode" || each.command == "relay";
      dispatch(subject, each, loaded);
    }
    if (const std::string text = printed(); !text.empty()) {
      throw std::runtime_error("something else than the runner printed on standard output: " + text);
    }
    say(with_room() + R"({"event":"done","elapsed_ns":)" + std::to_string(now_ns() - begin) + "}");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    const auto* const suspicion = dynamic_cast<const Suspicion*>(&error);
    say(R"({"event":"error","message":)" + quoted(error.what()) + R"(,"kind":)" + quoted(class_of(error)) +
        (suspicion != nullptr ? R"(,"suspected":)" + quoted(suspicion->cell) : "") + R"(,"by":)" +
        quoted(is_decoding ? origin_of(error) : "") + "}");
    return 1;
  }
}

}  // namespace serbench
