// The measuring program around one adapter and one workload. docs/protocol.md describes what it takes and
// says.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

/// Whether the encoder or decoder and the objects that an operation fills are used again for the next message
/// or made anew for each.
enum class Memory { reuse, fresh };

/// One pass of an operation over all messages of the dataset.
using Pass = std::function<void()>;

/// An operation that is ready to be timed, and what is done with it outside the clock; without the latter
/// where nothing is watched.
struct Timed {
  Pass pass;
  std::function<void()> renew{};  ///< changes values of the messages, and what was prepared from them
  std::function<void()> shift{};  ///< changes them once more, without a call into the adapter
  std::function<void()> spoil{};  ///< changes what is decoded into, if it is used again, without such a call
  std::function<void()> look{};   ///< writes down what the last pass left
  std::function<void()> meet{};   ///< throws Suspicion where new messages take longer by far than known ones
};

/// The suspicion that a cell returns remembered results, as far as times tell. Times of one process are no
/// proof: serbench accuses nobody before several suspect the same cell (src/serbench/measure/agreement.py).
struct Suspicion : std::runtime_error {
  Suspicion(const std::string& cell, const std::string& what) : std::runtime_error(what), cell(cell) {}
  std::string cell;
};

/// A codec with a workload, as it is measured and verified: without its types, so that the program around it
/// compiles once.
class Subject {
 public:
  virtual ~Subject() = default;

  /// The same codec without messages, for another thread.
  virtual std::unique_ptr<Subject> another() const { throw std::invalid_argument("it works in one thread"); }
  virtual std::vector<std::string_view> operations() const = 0;
  /// Whether it is no codec but a bound, whose operations leave out what is measured of codecs.
  virtual bool is_floor() const { return false; }
  /// Reads the canonical messages into domain objects, in the place of those before.
  virtual void load(const std::vector<Bytes>& canonical) = 0;
  /// From now on, the bytes of messages are those of a file that another program has encoded: one body for
  /// each message and, where a file of edits is named, one for each edit. Throws where it has another number.
  virtual void give(const std::string& encoded, const std::string& edits,
                    const std::vector<Bytes>& canonical) = 0;
  virtual std::size_t messages() const = 0;
  /// Serializes one message as the operation serialize does; the bytes are valid until the next call.
  virtual Bytes encode(std::size_t message, Memory memory) = 0;
  /// Deserializes one message as the operation deserialize does and appends its canonical bytes to out.
  virtual void decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) = 0;
  /// Whether what the library decodes can be encoded again.
  virtual bool relays() const { return false; }
  /// Decodes one message and encodes the library's own object; the bytes are valid until the next call.
  /// Throws std::invalid_argument where it cannot be encoded.
  virtual Bytes relay(Bytes, Memory) { throw std::invalid_argument("its view cannot be encoded again"); }
  /// Whether the library changes values in the bytes of a message.
  virtual bool updates_in_place() const { return false; }
  /// Changes the values of one message that the program is made to change, as the operation update does; the
  /// bytes are valid until the next call. Throws std::invalid_argument where it is made to change none.
  virtual Bytes update(Bytes, Memory) { throw std::invalid_argument("this program changes no values"); }
  /// Throws where traverse or walk over the library's own objects does not read what the domain objects hold.
  virtual void check_reading() = 0;
  /// From now on, operations are watched while they are timed, by the edits of a file; what they leave goes
  /// to another.
  virtual void watch(const std::string& edits, const std::string& left,
                     const std::vector<Bytes>& canonical) = 0;
  /// From now on, a pass of an operation is over this message alone: a single call.
  virtual void take_alone(std::size_t) { throw std::invalid_argument("this program has no single calls"); }
  /// Prepares an operation; throws std::invalid_argument where the codec does not offer it.
  virtual Timed prepare(std::string_view operation, Memory memory) = 0;
};

/// The codec and the workload that the executable was generated for.
struct Identity {
  std::string codec;     ///< such as cpp/thrift:compact
  std::string workload;  ///< such as monsters
  std::string schema;    ///< SHA-256 of the schema, in hexadecimal
};

/// The program: reads the command line, does what it asks for, and returns the exit status.
int run(const Identity& identity, Subject& subject, int argc, char** argv);

}  // namespace serbench
