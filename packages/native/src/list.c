#include "list.h"

#include "system.h"

/* getdents64(2) */
struct entry {
  uint64_t ino;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

/* If the next entry does not fit, getdents64 fails with EINVAL. Some file systems have names of 765 bytes. */
enum { MAX_ENTRY_BYTES = 1100, FIELDS = 7, FEW = 12 };

/* A name in the buffer, with a key that is compared first. */
struct found {
  /* The first 8 bytes, big-endian, padded with 0 (no name contains a 0). */
  uint64_t key;
  uint32_t at;
  uint32_t length;
};

/* The sections of the buffer, as byte offsets in ascending order. */
struct layout {
  size_t found, spare, numbers, names, end;
};

static size_t aligned(size_t length) { return (length + 7) & ~(size_t)7; }

static size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length] != 0) length++;
  return length;
}

static uint64_t key_of(const char *name, size_t length) {
  uint64_t key = 0;
  for (size_t at = 0; at < 8; at++) key = key << 8 | (at < length ? (uint8_t)name[at] : 0);
  return key;
}

static int comes_before(const unsigned char *buffer, const struct found *a, const struct found *b) {
  if (a->key != b->key) return a->key < b->key;
  const size_t common = a->length < b->length ? a->length : b->length;
  for (size_t at = 8; at < common; at++) {
    const unsigned char one = buffer[a->at + at], other = buffer[b->at + at];
    if (one != other) return one < other;
  }
  return a->length < b->length;
}

static void sort_few(const unsigned char *buffer, struct found *found, size_t count) {
  for (size_t next = 1; next < count; next++) {
    const struct found one = found[next];
    size_t at = next;
    for (; at > 0 && comes_before(buffer, &one, &found[at - 1]); at--) found[at] = found[at - 1];
    found[at] = one;
  }
}

/* Merge sort: merges runs of doubling length from one array into the other. Returns the array with the result. */
static struct found *sort(const unsigned char *buffer, struct found *from, struct found *to, size_t count) {
  for (size_t at = 0; at < count; at += FEW) sort_few(buffer, from + at, count - at < FEW ? count - at : FEW);
  for (size_t run = FEW; run < count; run *= 2) {
    for (size_t start = 0; start < count; start += 2 * run) {
      const size_t middle = start + run < count ? start + run : count;
      const size_t end = start + 2 * run < count ? start + 2 * run : count;
      size_t one = start, other = middle;
      for (size_t at = start; at < end; at++) {
        const int second = one == middle || (other < end && comes_before(buffer, &from[other], &from[one]));
        to[at] = second ? from[other++] : from[one++];
      }
    }
    struct found *const sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

static long open_folder(int at, const char *path) {
  const long flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  if (path[0] != 0) return syscall4_retry(__NR_openat, at, (long)path, flags | O_NOFOLLOW, 0);
  const long fd = syscall4_retry(__NR_openat, at, (long)".", flags, 0);
  if (fd != -EACCES) return fd;
  /* Looking up `.` requires search permission; opening the folder through its handle requires only read permission. */
  char handle[32] = "/proc/self/fd/";
  size_t end = length_of(handle) + 10;
  handle[end] = 0;
  size_t start = end;
  for (int rest = at; start == end || rest > 0; rest /= 10) handle[--start] = (char)('0' + rest % 10);
  const size_t prefix = length_of("/proc/self/fd/");
  for (size_t digit = start; digit <= end; digit++) handle[prefix + digit - start] = handle[digit];
  return syscall4_retry(__NR_openat, AT_FDCWD, (long)handle, flags, 0);
}

/* Reads all entries into the buffer, from offset `start`. Returns the offset of their end. */
static long read_entries(int fd, unsigned char *buffer, size_t start, size_t length) {
  size_t end = start;
  for (;;) {
    if (length - end < MAX_ENTRY_BYTES) return NEEDS_LARGER_BUFFER;
    const size_t most = length - end < (1u << 30) ? length - end : 1u << 30;
    const long got = syscall4_retry(__NR_getdents64, fd, (long)(buffer + end), (long)most, 0);
    /* A folder that was removed has no entries. */
    if (got == 0 || got == -ENOENT) return (long)end;
    if (got < 0) return got;
    end += (size_t)got;
  }
}

static int is_dots(const char *name) { return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0)); }

static size_t count_entries(const unsigned char *buffer, size_t start, size_t end, size_t *names_length) {
  size_t count = 0;
  for (size_t at = start; at < end; at += ((const struct entry *)(buffer + at))->length) {
    count++;
    *names_length += length_of(((const struct entry *)(buffer + at))->name) + 1;
  }
  return count;
}

static size_t find_names(const unsigned char *buffer, size_t start, size_t end, struct found *found) {
  size_t count = 0;
  for (size_t at = start; at < end; at += ((const struct entry *)(buffer + at))->length) {
    const char *name = ((const struct entry *)(buffer + at))->name;
    if (is_dots(name)) continue;
    const size_t length = length_of(name);
    found[count++] = (struct found){key_of(name, length), (uint32_t)(at + offsetof(struct entry, name)), (uint32_t)length};
  }
  return count;
}

static double ms_of(long seconds, unsigned long nanoseconds) {
  /* This order, with rounding after each step, gives the same double as node's lstat. */
  return (double)seconds * 1e3 + (double)nanoseconds / 1e6;
}

/* Returns 0 or -errno; -ENOENT if the name no longer exists. */
static long look_at(int fd, const char *name, double *numbers) {
  struct stat stat;
  const long failed = syscall4_retry(__NR_newfstatat, fd, (long)name, (long)&stat, AT_SYMLINK_NOFOLLOW);
  if (failed == -ENOENT) return failed;
  for (size_t field = 0; field < FIELDS; field++) numbers[field] = 0;
  if (failed < 0) {
    numbers[2] = (double)failed;
    return failed;
  }
  numbers[0] = (double)stat.st_size;
  numbers[1] = (double)stat.st_ino;
  numbers[2] = (double)stat.st_mode;
  numbers[3] = ms_of((long)stat.st_mtime, (unsigned long)stat.st_mtime_nsec);
  numbers[4] = ms_of((long)stat.st_ctime, (unsigned long)stat.st_ctime_nsec);
  numbers[5] = (double)stat.st_nlink;
  numbers[6] = (double)stat.st_dev;
  return 0;
}

static int same_name(const unsigned char *buffer, const struct found *a, const struct found *b) {
  return !comes_before(buffer, a, b) && !comes_before(buffer, b, a);
}

static long list_opened(int fd, unsigned char *buffer, size_t length) {
  const size_t start = aligned(sizeof(struct listed));
  if (length < start || length > UINT32_MAX) return length < start ? NEEDS_LARGER_BUFFER : -EFBIG;
  const long end = read_entries(fd, buffer, start, length);
  if (end < 0) return end;
  size_t names_length = 0;
  const size_t most = count_entries(buffer, start, (size_t)end, &names_length);
  struct layout at;
  at.found = aligned((size_t)end);
  at.spare = at.found + most * sizeof(struct found);
  at.numbers = at.spare + most * sizeof(struct found);
  at.names = at.numbers + most * FIELDS * sizeof(double);
  at.end = at.names + names_length;
  if (at.end > length) return NEEDS_LARGER_BUFFER;

  struct found *found = (struct found *)(buffer + at.found);
  const size_t count = find_names(buffer, start, (size_t)end, found);
  found = sort(buffer, found, (struct found *)(buffer + at.spare), count);

  double *numbers = (double *)(buffer + at.numbers);
  size_t kept = 0, failed = 0, written = at.names;
  for (size_t index = 0; index < count; index++) {
    /* If a folder changes while it is read, it may list a name twice. */
    if (index > 0 && same_name(buffer, &found[index], &found[index - 1])) continue;
    const char *name = (const char *)(buffer + found[index].at);
    const long looked = look_at(fd, name, numbers + kept * FIELDS);
    if (looked == -ENOENT) continue;
    if (looked < 0) failed++;
    if (kept > 0) buffer[written++] = '/';
    memcpy(buffer + written, name, found[index].length);
    written += found[index].length;
    kept++;
  }
  *(struct listed *)buffer =
      (struct listed){(double)at.numbers, (double)at.names, (double)(written - at.names), (double)failed};
  return (long)kept;
}

long list_with_stats(int at, const char *path, unsigned char *buffer, size_t length) {
  const long fd = open_folder(at, path);
  if (fd < 0) return fd;
  const long result = list_opened((int)fd, buffer, length);
  /* Never retried: after any result, the handle is closed. */
  syscall4(__NR_close, fd, 0, 0, 0);
  return result;
}
