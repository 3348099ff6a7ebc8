/*
 * The functions that the engine calls. Each checks its arguments and returns a number, or a promise of one: a result, or
 * -errno (-EINVAL for an argument of the wrong type or out of range). No state is kept between calls, so any number of
 * threads may call them.
 */
#include "copy.h"
#include "list.h"
#include "node-api.h"
#include "system.h"

enum { PATH_BYTES = 4096, MAX_ARGUMENTS = 3 };

/* The version of the interface. It changes with every change of arguments or results; the engine checks it. */
enum { INTERFACE = 4 };

void *memcpy(void *to, const void *from, size_t length) {
  for (size_t at = 0; at < length; at++) ((unsigned char *)to)[at] = ((const unsigned char *)from)[at];
  return to;
}

void *memset(void *to, int byte, size_t length) {
  for (size_t at = 0; at < length; at++) ((unsigned char *)to)[at] = (unsigned char)byte;
  return to;
}

struct call {
  napi_env env;
  size_t count;
  napi_value given[MAX_ARGUMENTS];
};

static int begins(struct call *call, napi_env env, napi_callback_info info, size_t wanted) {
  call->env = env;
  call->count = MAX_ARGUMENTS;
  return napi_get_cb_info(env, info, &call->count, call->given, NULL, NULL) == 0 && call->count >= wanted;
}

static napi_value answer(napi_env env, long number) {
  napi_value value = NULL;
  return napi_create_double(env, (double)number, &value) == 0 ? value : NULL;
}

/* Reads an integer from `least` to `most`. */
static int take_number(const struct call *call, size_t index, double least, double most, long *number) {
  double value;
  if (napi_get_value_double(call->env, call->given[index], &value) != 0) return 0;
  /* Also false for NaN. */
  if (!(value >= least && value <= most) || (double)(long)value != value) return 0;
  *number = (long)value;
  return 1;
}

/* Reads a string with one character per byte and no NUL. Returns 0 or -errno. */
static long take_path(const struct call *call, size_t index, char *path) {
  uint16_t text[PATH_BYTES + 1];
  size_t length;
  if (napi_get_value_string_utf16(call->env, call->given[index], text, PATH_BYTES + 1, &length) != 0) return -EINVAL;
  if (length >= PATH_BYTES) return -ENAMETOOLONG;
  for (size_t at = 0; at < length; at++) {
    if (text[at] == 0 || text[at] > 0xff) return -EINVAL;
    path[at] = (char)text[at];
  }
  path[length] = 0;
  return 0;
}

static int take_buffer(const struct call *call, size_t index, unsigned char **buffer, size_t *length) {
  int type;
  void *data;
  if (napi_get_typedarray_info(call->env, call->given[index], &type, length, &data, NULL, NULL) != 0) return 0;
  *buffer = data;
  return type == NAPI_UINT8_ARRAY && data != NULL && (uintptr_t)data % 8 == 0;
}

/* listWithStats(at, path, buffer): see list.h; `at` is -1 for the working directory. */
static napi_value list_folder(napi_env env, napi_callback_info info) {
  struct call call;
  long at;
  char path[PATH_BYTES];
  unsigned char *buffer;
  size_t length;
  if (!begins(&call, env, info, 3)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, -1, INT32_MAX, &at)) return answer(env, -EINVAL);
  const long wrong = take_path(&call, 1, path);
  if (wrong != 0) return answer(env, wrong);
  if (!take_buffer(&call, 2, &buffer, &length)) return answer(env, -EINVAL);
  if (at == -1 && path[0] == 0) return answer(env, -ENOENT);
  return answer(env, list_with_stats(at == -1 ? AT_FDCWD : (int)at, path, buffer, length));
}

/* At the start of the buffer. The caller must not use the buffer before the promise is resolved. */
struct task {
  /* What it does with `from`, `to` and the rest of the buffer. */
  enum { LISTS, COPIES, SYNCS } kind;
  int from;
  int to;
  napi_async_work work;
  napi_deferred promise;
  /* Keeps the buffer alive. */
  napi_ref reference;
  size_t length;
  long result;
  char path[PATH_BYTES];
};

/* The offset of the listing in the buffer. */
enum { TASK_BYTES = 8192 };

/* Runs on a worker thread. */
static void run_task(napi_env env, void *data) {
  (void)env;
  struct task *const task = data;
  unsigned char *const buffer = (unsigned char *)data + TASK_BYTES;
  const size_t length = task->length - TASK_BYTES;
  switch (task->kind) {
    case LISTS:
      task->result = list_with_stats(AT_FDCWD, task->path, buffer, length);
      break;
    case COPIES:
      task->result = copy_files(task->from, task->to, buffer, length);
      break;
    case SYNCS:
      task->result = syscall4_retry(__NR_syncfs, task->from, 0, 0, 0);
      break;
  }
}

static void end_task(napi_env env, napi_status status, void *data) {
  const struct task *const task = data;
  napi_value result = answer(env, status == 0 ? task->result : -ECANCELED);
  if (result != NULL) napi_resolve_deferred(env, task->promise, result);
  napi_delete_async_work(env, task->work);
  /* Must be last: this may free the buffer, and the task in it. */
  napi_delete_reference(env, task->reference);
}

/* Returns the task of a buffer that is an argument; NULL if it is not usable. */
static struct task *task_in(const struct call *call, size_t index) {
  unsigned char *buffer;
  size_t length;
  if (!take_buffer(call, index, &buffer, &length)) return NULL;
  _Static_assert(sizeof(struct task) <= TASK_BYTES, "a task fits into its part of the buffer");
  if (length < TASK_BYTES) return NULL;
  struct task *const task = (struct task *)buffer;
  task->length = length;
  return task;
}

/* Returns a promise of the task's result. @param buffer the argument that the task is in */
static napi_value start_task(const struct call *call, struct task *task, napi_value buffer) {
  const napi_env env = call->env;
  napi_value name, promise;
  if (napi_create_string_utf8(env, "savepoint", (size_t)-1, &name) != 0) return answer(env, -ENOMEM);
  if (napi_create_async_work(env, NULL, name, run_task, end_task, task, &task->work) != 0) return answer(env, -ENOMEM);
  if (napi_create_reference(env, buffer, 1, &task->reference) == 0) {
    if (napi_create_promise(env, &task->promise, &promise) == 0 && napi_queue_async_work(env, task->work) == 0) return promise;
    napi_delete_reference(env, task->reference);
  }
  napi_delete_async_work(env, task->work);
  return answer(env, -ENOMEM);
}

/* listAside(path, buffer): listWithStats(-1, path, buffer) as a promise; the listing starts at TASK_BYTES. */
static napi_value list_aside(napi_env env, napi_callback_info info) {
  struct call call;
  if (!begins(&call, env, info, 2)) return answer(env, -EINVAL);
  struct task *const task = task_in(&call, 1);
  if (task == NULL) return answer(env, -EINVAL);
  const long wrong = take_path(&call, 0, task->path);
  if (wrong != 0) return answer(env, wrong);
  if (task->path[0] == 0) return answer(env, -ENOENT);
  task->kind = LISTS;
  return start_task(&call, task, call.given[1]);
}

/* copyAside(from, to, buffer): see copy.h, as a promise; what it describes starts at TASK_BYTES. */
static napi_value copy_aside(napi_env env, napi_callback_info info) {
  struct call call;
  long from, to;
  if (!begins(&call, env, info, 3)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &from) || !take_number(&call, 1, 0, INT32_MAX, &to)) return answer(env, -EINVAL);
  struct task *const task = task_in(&call, 2);
  if (task == NULL) return answer(env, -EINVAL);
  task->kind = COPIES;
  task->from = (int)from;
  task->to = (int)to;
  return start_task(&call, task, call.given[2]);
}

/* syncAside(fd, buffer): syncfs(2), as a promise. The buffer only holds the task. */
static napi_value sync_aside(napi_env env, napi_callback_info info) {
  struct call call;
  long fd;
  if (!begins(&call, env, info, 2)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  struct task *const task = task_in(&call, 1);
  if (task == NULL) return answer(env, -EINVAL);
  task->kind = SYNCS;
  task->from = (int)fd;
  return start_task(&call, task, call.given[1]);
}

/* watchInit(): returns a non-blocking inotify handle. */
static napi_value watch_init(napi_env env, napi_callback_info info) {
  (void)info;
  return answer(env, syscall4(__NR_inotify_init1, O_CLOEXEC | O_NONBLOCK, 0, 0, 0));
}

/* watchAdd(fd, path, mask): returns the watch descriptor. */
static napi_value watch_add(napi_env env, napi_callback_info info) {
  struct call call;
  long fd, mask;
  char path[PATH_BYTES];
  if (!begins(&call, env, info, 3)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  const long wrong = take_path(&call, 1, path);
  if (wrong != 0) return answer(env, wrong);
  if (!take_number(&call, 2, 1, UINT32_MAX, &mask)) return answer(env, -EINVAL);
  return answer(env, syscall4_retry(__NR_inotify_add_watch, fd, (long)path, mask, 0));
}

/* watchRemove(fd, watch): returns 0. */
static napi_value watch_remove(napi_env env, napi_callback_info info) {
  struct call call;
  long fd, watch;
  if (!begins(&call, env, info, 2)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  if (!take_number(&call, 1, INT32_MIN, INT32_MAX, &watch)) return answer(env, -EINVAL);
  return answer(env, syscall4(__NR_inotify_rm_watch, fd, watch, 0, 0));
}

/* watchRead(fd, buffer): reads events; returns their length in bytes, 0 if there are none. */
static napi_value watch_read(napi_env env, napi_callback_info info) {
  struct call call;
  long fd;
  unsigned char *buffer;
  size_t length;
  if (!begins(&call, env, info, 2)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  if (!take_buffer(&call, 1, &buffer, &length)) return answer(env, -EINVAL);
  const long got = syscall4_retry(__NR_read, fd, (long)buffer, (long)(length < (1u << 30) ? length : 1u << 30), 0);
  return answer(env, got == -EAGAIN ? 0 : got);
}

/* close(fd): returns 0. */
static napi_value close_handle(napi_env env, napi_callback_info info) {
  struct call call;
  long fd;
  if (!begins(&call, env, info, 1)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  return answer(env, syscall4(__NR_close, fd, 0, 0, 0));
}

static int offer(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  return napi_create_function(env, name, (size_t)-1, callback, NULL, &function) == 0 &&
         napi_set_named_property(env, exports, name, function) == 0;
}

/* Node looks up these two symbols by name. All others are hidden. */
__attribute__((visibility("default"))) int32_t node_api_module_get_api_version_v1(void) { return 8; }

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value number = answer(env, INTERFACE);
  if (number == NULL || napi_set_named_property(env, exports, "interface", number) != 0) return NULL;
  const int all = offer(env, exports, "listWithStats", list_folder) && offer(env, exports, "listAside", list_aside) &&
                  offer(env, exports, "copyAside", copy_aside) && offer(env, exports, "syncAside", sync_aside) &&
                  offer(env, exports, "watchInit", watch_init) && offer(env, exports, "watchAdd", watch_add) && offer(env, exports, "watchRemove", watch_remove) &&
                  offer(env, exports, "watchRead", watch_read) && offer(env, exports, "close", close_handle);
  return all ? exports : NULL;
}
