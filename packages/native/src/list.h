#ifndef SAVEPOINT_LIST_H
#define SAVEPOINT_LIST_H

#include <stddef.h>
#include <stdint.h>

/* The buffer is too small; call again with a larger one. Not a possible -errno. */
#define NEEDS_LARGER_BUFFER (-5000L)

/* The header at the start of the buffer after a successful listing: byte offsets, a length, and a count. */
struct listed {
  double numbers_at;
  double names_at;
  double names_length;
  double failed;
};

/*
 * Lists the folder `path`, relative to the open folder `at` (AT_FDCWD: the working directory). An empty path is the open
 * folder itself. If the last component is a symbolic link, it is not followed.
 *
 * buffer (aligned to 8 bytes) then holds a `struct listed`; at numbers_at seven doubles for each name, in the order of
 * LISTED_FIELD in the engine's io/fs.ts; at names_at the names, sorted by bytes and separated by slashes. If a name
 * cannot be examined, its mode is -errno and its other numbers are 0.
 *
 * Returns the number of names, -errno, or NEEDS_LARGER_BUFFER.
 */
long list_with_stats(int at, const char *path, unsigned char *buffer, size_t length);

#endif
