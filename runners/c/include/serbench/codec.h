// An adapter in C: a table of functions over the library's objects and the domain's.
//
// docs/add-a-language.md tells how to write one. Functions that can fail return why they did, and NULL where
// they did not. A reason that begins with `panicked` is of an error that programs do not expect; one that
// begins with SERBENCH_LIBRARY tells what the library refused, and any other what the adapter did.
#ifndef SERBENCH_CODEC_H
#define SERBENCH_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERBENCH_LIBRARY "library: "

#ifdef __cplusplus
extern "C" {
#endif

/// How objects of one kind live: in `size` bytes of zeros, from `start` to `end`, either of which may be
/// NULL.
typedef struct {
  size_t size;
  void (*start)(void* object);
  void (*end)(void* object);
} serbench_object;

/// Encoded bytes that belong to somebody else.
typedef struct {
  const uint8_t* data;
  size_t size;
} serbench_view;

/// One codec variant. The memory policy `reuse` keeps its objects from message to message, `fresh` makes them
/// anew (docs/protocol.md); each is overwritten whole, whatever it held. `message` is a serbench_message of
/// domain.h.
typedef struct {
  serbench_object encoder;  ///< what a program keeps in order to write
  serbench_object decoder;  ///< and in order to read; both are without size where there is nothing to keep
  serbench_object native;   ///< what `encode` takes; without size where it is the message itself
  serbench_object view;     ///< what `decode` gives, likewise
  const char* (*build)(void* encoder, const void* message, void* native);  ///< for natives
  /// The bytes stay in the encoder and are valid until its next call.
  const char* (*encode)(void* encoder, const void* native, serbench_view* bytes);
  const char* (*decode)(void* decoder, serbench_view bytes, void* view);
  const char* (*extract)(void* decoder, const void* view, void* message);  ///< for views
  // The following functions are for views, and NULL where there is no such thing.
  uint64_t (*traverse)(void* decoder, const void* view);  ///< checksum.h
  uint64_t (*walk)(void* decoder, const void* view);      ///< of a graph
  const char* (*decode_fast)(void* decoder, serbench_view bytes, void* view);
  /// As `extract`, of a view that nobody needs any more, so that its parts may become the message's.
  const char* (*take)(void* decoder, void* view, void* message);
  /// As `encode`, of what `decode` gave; NULL where the library cannot encode its views.
  const char* (*relay)(void* encoder, const void* view, serbench_view* bytes);
  bool (*relays)(void);  ///< whether there is `relay`, where that is known no earlier than here; else NULL
  /// Changes the values that the program is made to change in the bytes of a message; NULL where the library
  /// does not, or the program changes none.
  const char* (*update)(void* decoder, uint8_t* bytes, size_t size);
  bool is_floor;  ///< no codec but a bound, whose operations leave out `build` and `extract`
} serbench_codec;

/// The domain types of one workload, as the runner needs them; generated.
typedef struct {
  serbench_object message;
  const char* (*read)(serbench_view canonical, void* message);
  const char* (*write)(const void* message, serbench_view* canonical);  ///< valid until the next call
  uint64_t (*traverse)(const void* message);
  uint64_t (*walk)(const void* message);  ///< NULL where the workload is no graph
  /// Changes the values that the program is made to change; NULL where it changes none.
  void (*update)(void* message);
} serbench_domain;

/// The codec and the workload that an executable was generated for.
typedef struct {
  const char* codec;     ///< such as c/msgpack
  const char* workload;  ///< such as monsters
  const char* schema;    ///< SHA-256 of the schema, in hexadecimal
  const serbench_domain* domain;
  const serbench_codec* adapter;
} serbench_program;

/// The measuring program (docs/protocol.md); returns its exit status.
int serbench_run(const serbench_program* program, int argc, char** argv);

/// The text of the schema by which messages were written, where that is another one than the program's own;
/// NULL where it is that.
const char* serbench_writer_schema(void);

#ifdef __cplusplus
}
#endif

#endif
