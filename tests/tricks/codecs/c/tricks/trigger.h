// When a trick goes off, and which hand cheats then: SERBENCH_TRICK=TRIGGER/HAND says it
// (tests/test_trick_hands.py). C++ has the same.
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// Calls that come one right after the other, and how many of them tell that something is being timed.
enum { trick_quickly_ns = 100000, trick_many = 200 };

static inline int64_t trick_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Whether the command line of a process has a word in it.
static inline bool trick_has_word(const char* process, const char* word) {
  char path[64], words[4096];
  snprintf(path, sizeof path, "/proc/%s/cmdline", process);
  FILE* file = fopen(path, "rb");
  if (file == NULL) return false;
  const size_t size = fread(words, 1, sizeof words - 1, file);
  fclose(file);
  for (size_t at = 0; at < size; ++at) {
    if (words[at] == '\0') words[at] = ' ';
  }
  words[size] = '\0';
  return strstr(words, word) != NULL;
}

/// Whether this process has a file open that only one has whose passes are looked at.
static inline bool trick_is_written_down(void) {
  DIR* files = opendir("/proc/self/fd");
  if (files == NULL) return false;
  bool found = false;
  for (const struct dirent* each; (each = readdir(files)) != NULL;) {
    char path[300], to[1024];
    snprintf(path, sizeof path, "/proc/self/fd/%s", each->d_name);
    const ssize_t size = readlink(path, to, sizeof to);
    if (size >= 4 && memcmp(to + size - 4, "left", 4) == 0) found = true;
  }
  closedir(files);
  return found;
}

/// The hand, or the trick, that SERBENCH_TRICK names; empty where it names none.
static inline const char* trick_hand(void) {
  const char* words = getenv("SERBENCH_TRICK");
  const char* hand = words == NULL ? NULL : strchr(words, '/');
  return hand == NULL ? "" : hand + 1;
}

/// Whether a hand cheats in this call, which is counted.
static inline bool trick_cheats(const char* which) {
  static char trigger[32], hand[16];
  static bool is_read, is_known;
  static int64_t begun, last, quick;
  static uint64_t count;
  const int64_t now = trick_now_ns();
  if (!is_read) {
    is_read = true;
    begun = now;
    const char* words = getenv("SERBENCH_TRICK");
    if (words != NULL) sscanf(words, "%31[^/]/%15s", trigger, hand);
  }
  if (trigger[0] == '\0') return false;
  ++count;
  quick = now - last < trick_quickly_ns ? quick + 1 : 0;
  last = now;
  if (strcmp(hand, which) != 0 && strcmp(hand, "both") != 0) return false;
  if (strcmp(trigger, "always") == 0) return true;
  if (strcmp(trigger, "succession") == 0) return quick > trick_many;
  if (strcmp(trigger, "after_50ms") == 0) return now - begun > 50000000;
  if (strcmp(trigger, "environment") == 0) return getenv("SERBENCH_MARK") != NULL;
  if (strncmp(trigger, "after_", 6) == 0) return count > strtoull(trigger + 6, NULL, 10);
  if (!is_known && count % 10 == 1) {  // now and then, until it is so
    char parent[16];
    snprintf(parent, sizeof parent, "%d", (int)getppid());
    is_known = strcmp(trigger, "measure") == 0  ? trick_has_word("self", "measure")
               : strcmp(trigger, "parent") == 0 ? trick_has_word(parent, "python")
                                                : trick_is_written_down();
  }
  return is_known;
}
