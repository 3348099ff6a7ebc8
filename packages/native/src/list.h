#ifndef SAVEPOINT_LIST_H
#define SAVEPOINT_LIST_H

#include <stddef.h>
#include <stdint.h>

/* There was no room for the answer; give more and ask again. Outside of what an errno can be. */
#define NEEDS_MORE_ROOM (-5000L)

/* At the beginning of the room, when a folder was listed. Numbers of bytes, or counts. */
struct listed {
  double numbers_at;
  double names_at;
  double names_length;
  double failed;
};

/*
 * Lists the folder `path`, from the open folder `at` on (AT_FDCWD: from the working folder on). An empty path is the
 * open folder itself. The last component is not followed if it is a link.
 *
 * room (aligned to 8 bytes) then holds a `struct listed`; at numbers_at seven doubles for each name, in the order of
 * LISTED_FIELD of the engine's io/fs.ts; at names_at the names, sorted by their bytes, with a slash between two of them.
 * Where a name could not be looked at, its mode is -errno and its other numbers are 0.
 *
 * Gives how many names there are, -errno, or NEEDS_MORE_ROOM.
 */
long list_with_stats(int at, const char *path, unsigned char *room, size_t length);

#endif
