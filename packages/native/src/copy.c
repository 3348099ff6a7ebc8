#include "copy.h"

#include "system.h"

/* <linux/fs.h> needs a C library in some versions. */
#define FICLONE_REQUEST 0x40049409L
enum { DATA_FROM_HERE = 3, HOLE_FROM_HERE = 4, BLOCK_BYTES = 512, FILE_MODE = 01777, ATTRIBUTES_BYTES = 4096 };
#define OMITTED ((1l << 30) - 2l)

struct time {
  int64_t seconds;
  int64_t nanoseconds;
};

struct scratch {
  unsigned char *bytes;
  size_t length;
};

/* A failure, and whether it is one of the copy. */
struct failure {
  long result;
  int of_copy;
};

static const struct failure NO_FAILURE = {0, 0};

static struct failure of_original(long result) { return (struct failure){result, 0}; }

static struct failure of_copy(long result) { return (struct failure){result, 1}; }

/* Copies from `at` to `end`, or to the end of the file. Returns where it ended. */
static struct failure copy_bytes(int from, int to, long at, long end, struct scratch scratch, long *ended) {
  while (at < end) {
    const long most = end - at < (long)scratch.length ? end - at : (long)scratch.length;
    const long got = syscall4_retry(__NR_pread64, from, (long)scratch.bytes, most, at);
    if (got < 0) return of_original(got);
    if (got == 0) break;
    for (long done = 0; done < got;) {
      const long put = syscall4_retry(__NR_pwrite64, to, (long)(scratch.bytes + done), got - done, at + done);
      if (put <= 0) return of_copy(put < 0 ? put : -EIO);
      done += put;
    }
    at += got;
    /* A shorter read is the end of a file that is not larger than it seemed. */
    if (end == INT64_MAX && got < most) break;
  }
  *ended = at;
  return NO_FAILURE;
}

static struct failure copy_sparse(int from, int to, long size, struct scratch scratch) {
  for (long at = 0; at < size;) {
    const long data = syscall4_retry(__NR_lseek, from, at, DATA_FROM_HERE, 0);
    if (data == -ENXIO) break;
    if (data < 0) return of_original(data);
    const long hole = syscall4_retry(__NR_lseek, from, data, HOLE_FROM_HERE, 0);
    if (hole < 0) return of_original(hole);
    const struct failure failed = copy_bytes(from, to, data, hole, scratch, &at);
    if (failed.result != 0) return failed;
    /* It was made shorter meanwhile. */
    if (at < hole) break;
  }
  return of_copy(syscall4_retry(__NR_ftruncate, to, size, 0, 0));
}

static struct failure copy_content(int from, int to, const struct stat *stat, int shares, struct scratch scratch) {
  const long size = (long)stat->st_size;
  if (shares && size > 0 && syscall4_retry(__NR_ioctl, to, FICLONE_REQUEST, from, 0) == 0) return NO_FAILURE;
  if ((long)stat->st_blocks * BLOCK_BYTES < size && size > (long)scratch.length) return copy_sparse(from, to, size, scratch);
  long ended;
  return copy_bytes(from, to, 0, INT64_MAX, scratch, &ended);
}

static size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length] != 0) length++;
  return length;
}

static int is_of_users(const char *name) {
  const char prefix[] = "user.";
  for (size_t at = 0; prefix[at] != 0; at++)
    if (name[at] != prefix[at]) return 0;
  return 1;
}

/* Attributes that the file system of the copy does not take are left out. */
static void copy_attributes(int from, int to, struct scratch scratch) {
  char names[ATTRIBUTES_BYTES];
  const long length = syscall4_retry(__NR_flistxattr, from, (long)names, sizeof names, 0);
  for (long at = 0; at < length; at += (long)length_of(names + at) + 1) {
    const char *const name = names + at;
    if (!is_of_users(name)) continue;
    const long got = syscall4_retry(__NR_fgetxattr, from, (long)name, (long)scratch.bytes, (long)scratch.length);
    if (got >= 0) syscall5(__NR_fsetxattr, to, (long)name, (long)scratch.bytes, got, 0);
  }
}

static struct failure fill(int from, int to, const struct stat *stat, const struct copied *given, struct scratch scratch) {
  const struct failure failed = copy_content(from, to, stat, given->shares != 0, scratch);
  if (failed.result != 0) return failed;
  copy_attributes(from, to, scratch);
  const long mode = (long)stat->st_mode & FILE_MODE;
  if ((mode & (long)given->umask) != 0 || (mode & 01000) != 0) {
    const long refused = syscall4_retry(__NR_fchmod, to, mode, 0, 0);
    if (refused != 0) return of_copy(refused);
  }
  const struct time times[2] = {{0, OMITTED}, {(int64_t)stat->st_mtime, (int64_t)stat->st_mtime_nsec}};
  return of_copy(syscall4_retry(__NR_utimensat, to, 0, (long)times, 0));
}

static struct failure copy_opened(int from, int to, const char *name, const struct copied *given, struct scratch scratch,
                                  struct outcome *outcome) {
  struct stat stat;
  const long unknown = syscall4_retry(__NR_fstat, from, (long)&stat, 0, 0);
  if (unknown != 0) return of_original(unknown);
  if ((stat.st_mode & 0170000) != 0100000) return of_original(-ESTALE);
  outcome->size = (double)stat.st_size;
  outcome->ino = (double)stat.st_ino;
  const long flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const long copy = syscall4_retry(__NR_openat, to, (long)name, flags, (long)stat.st_mode & 0777);
  if (copy < 0) return of_copy(copy);
  const struct failure failed = fill(from, (int)copy, &stat, given, scratch);
  syscall4(__NR_close, copy, 0, 0, 0);
  if (failed.result != 0) syscall4_retry(__NR_unlinkat, to, (long)name, 0, 0);
  return failed;
}

static struct failure copy_file(int from, int to, const char *name, const struct copied *given, struct scratch scratch,
                                struct outcome *outcome) {
  const long flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
  const long original = syscall4_retry(__NR_openat, from, (long)name, flags, 0);
  if (original < 0) return of_original(original);
  const struct failure failed = copy_opened((int)original, to, name, given, scratch, outcome);
  syscall4(__NR_close, original, 0, 0, 0);
  return failed;
}

/* Whether a part of the buffer begins at a whole number of bytes and lies inside of it. */
static int is_inside(double at, double bytes, size_t length) {
  return at >= 0 && bytes >= 0 && at + bytes <= (double)length && (double)(size_t)at == at;
}

static int is_valid(const struct copied *given, size_t length) {
  const double count = given->count;
  if (!(count >= 0 && count <= (double)length) || (double)(size_t)count != count) return 0;
  if (!(given->umask >= 0 && given->umask <= 07777) || (double)(long)given->umask != given->umask) return 0;
  if (!is_inside(given->outcomes_at, count * sizeof(struct outcome), length)) return 0;
  if ((size_t)given->outcomes_at % 8 != 0) return 0;
  if (!is_inside(given->names_at, 0, length) || !(given->names_at <= given->scratch_at)) return 0;
  return is_inside(given->scratch_at, MIN_SCRATCH_BYTES, length) && given->scratch_at <= given->outcomes_at - MIN_SCRATCH_BYTES;
}

long copy_files(int from, int to, unsigned char *buffer, size_t length) {
  if (length < sizeof(struct copied)) return -EINVAL;
  const struct copied given = *(const struct copied *)buffer;
  if (!is_valid(&given, length)) return -EINVAL;
  struct outcome *const outcomes = (struct outcome *)(buffer + (size_t)given.outcomes_at);
  const size_t names_end = (size_t)given.scratch_at;
  const struct scratch scratch = {buffer + names_end, (size_t)given.outcomes_at - names_end};
  size_t at = (size_t)given.names_at;
  for (size_t index = 0; index < (size_t)given.count; index++) {
    const char *const name = (const char *)buffer + at;
    while (at < names_end && buffer[at] != 0) at++;
    if (at++ >= names_end || name[0] == 0) return -EINVAL;
    struct outcome *const outcome = &outcomes[index];
    *outcome = (struct outcome){0, 0, 0, 0};
    const struct failure failed = copy_file(from, to, name, &given, scratch, outcome);
    if (failed.result == 0) continue;
    outcome->result = (double)failed.result;
    outcome->of_copy = failed.of_copy;
    if (failed.of_copy) return (long)index + 1;
  }
  return (long)given.count;
}
