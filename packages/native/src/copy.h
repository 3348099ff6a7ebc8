#ifndef SAVEPOINT_COPY_H
#define SAVEPOINT_COPY_H

#include <stddef.h>
#include <stdint.h>

/* What is to be copied, at the start of the buffer (aligned to 8 bytes). Offsets are relative to it. */
struct copied {
  double count;
  /* Whether to share blocks, where the file system can do that. */
  double shares;
  /* The permissions that the process withholds from new files. */
  double umask;
  /* `count` names, each followed by a NUL. */
  double names_at;
  /* At least MIN_SCRATCH_BYTES. */
  double scratch_at;
  /* `count` times a `struct outcome`. */
  double outcomes_at;
};

/* What became of one file. */
struct outcome {
  /* 0, or -errno; -ESTALE if it is not a file. */
  double result;
  /* Whether the failure is one of the copy, and not of the original. */
  double of_copy;
  /* Of the original. */
  double size;
  double ino;
};

enum { MIN_SCRATCH_BYTES = 1 << 16 };

/*
 * Copies files from the open folder `from` into the open folder `to`, in which they must not exist. A file keeps its
 * content, holes, permissions (apart from setuid and setgid), modification time and attributes (user.*). No link is
 * followed. What cannot be copied completely is removed again.
 *
 * Stops after the first failure of a copy. Returns the number of files that were looked at, or -EINVAL.
 */
long copy_files(int from, int to, unsigned char *buffer, size_t length);

#endif
