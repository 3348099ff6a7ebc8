/*
 * What the engine calls. Every function checks what it is given and answers with a number: a result, or -errno
 * (-EINVAL for an argument of another type or out of its range), or with a promise of one. Nothing is kept between two
 * calls, so that any number of threads may use it.
 */
#include "list.h"
#include "node-api.h"
#include "system.h"

enum { PATH_ROOM = 4096, MOST_ARGUMENTS = 3 };

/* Changes whenever a function takes or gives something else; the engine asks for the one that it knows. */
enum { INTERFACE = 2 };

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
  napi_value given[MOST_ARGUMENTS];
};

static int begins(struct call *call, napi_env env, napi_callback_info info, size_t wanted) {
  call->env = env;
  call->count = MOST_ARGUMENTS;
  return napi_get_cb_info(env, info, &call->count, call->given, NULL, NULL) == 0 && call->count >= wanted;
}

static napi_value answer(napi_env env, long number) {
  napi_value value = NULL;
  return napi_create_double(env, (double)number, &value) == 0 ? value : NULL;
}

/* A whole number from `least` to `most`. */
static int take_number(const struct call *call, size_t index, double least, double most, long *number) {
  double value;
  if (napi_get_value_double(call->env, call->given[index], &value) != 0) return 0;
  /* NaN compares with nothing. */
  if (!(value >= least && value <= most) || (double)(long)value != value) return 0;
  *number = (long)value;
  return 1;
}

/* A string with one character per byte, without a 0. Gives 0, or -errno. */
static long take_path(const struct call *call, size_t index, char *path) {
  uint16_t text[PATH_ROOM + 1];
  size_t length;
  if (napi_get_value_string_utf16(call->env, call->given[index], text, PATH_ROOM + 1, &length) != 0) return -EINVAL;
  if (length >= PATH_ROOM) return -ENAMETOOLONG;
  for (size_t at = 0; at < length; at++) {
    if (text[at] == 0 || text[at] > 0xff) return -EINVAL;
    path[at] = (char)text[at];
  }
  path[length] = 0;
  return 0;
}

static int take_room(const struct call *call, size_t index, unsigned char **room, size_t *length) {
  int type;
  void *data;
  if (napi_get_typedarray_info(call->env, call->given[index], &type, length, &data, NULL, NULL) != 0) return 0;
  *room = data;
  return type == NAPI_UINT8_ARRAY && data != NULL && (uintptr_t)data % 8 == 0;
}

/* listWithStats(at, path, room): see list.h; `at` is -1 for the working folder. */
static napi_value list_folder(napi_env env, napi_callback_info info) {
  struct call call;
  long at;
  char path[PATH_ROOM];
  unsigned char *room;
  size_t length;
  if (!begins(&call, env, info, 3)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, -1, INT32_MAX, &at)) return answer(env, -EINVAL);
  const long wrong = take_path(&call, 1, path);
  if (wrong != 0) return answer(env, wrong);
  if (!take_room(&call, 2, &room, &length)) return answer(env, -EINVAL);
  if (at == -1 && path[0] == 0) return answer(env, -ENOENT);
  return answer(env, list_with_stats(at == -1 ? AT_FDCWD : (int)at, path, room, length));
}

/* At the beginning of the room. Nobody may use the room before the promise is kept. */
struct errand {
  napi_async_work work;
  napi_deferred promise;
  /* Keeps the room. */
  napi_ref reference;
  size_t length;
  long result;
  char path[PATH_ROOM];
};

/* Where the listing begins in the room. */
enum { ERRAND_ROOM = 8192 };

/* On another thread. */
static void run_errand(napi_env env, void *data) {
  (void)env;
  struct errand *const errand = data;
  unsigned char *const room = (unsigned char *)data + ERRAND_ROOM;
  errand->result = list_with_stats(AT_FDCWD, errand->path, room, errand->length - ERRAND_ROOM);
}

static void end_errand(napi_env env, napi_status status, void *data) {
  const struct errand *const errand = data;
  napi_value told = answer(env, status == 0 ? errand->result : -ECANCELED);
  if (told != NULL) napi_resolve_deferred(env, errand->promise, told);
  napi_delete_async_work(env, errand->work);
  /* The last: the room may go with it. */
  napi_delete_reference(env, errand->reference);
}

/* listAside(path, room): a promise of what listWithStats(-1, path, room) gives; the listing begins at ERRAND_ROOM. */
static napi_value list_aside(napi_env env, napi_callback_info info) {
  struct call call;
  unsigned char *room;
  size_t length;
  napi_value name, promise;
  if (!begins(&call, env, info, 2) || !take_room(&call, 1, &room, &length)) return answer(env, -EINVAL);
  _Static_assert(sizeof(struct errand) <= ERRAND_ROOM, "the errand fits");
  if (length < ERRAND_ROOM) return answer(env, -EINVAL);
  struct errand *const errand = (struct errand *)room;
  const long wrong = take_path(&call, 0, errand->path);
  if (wrong != 0) return answer(env, wrong);
  if (errand->path[0] == 0) return answer(env, -ENOENT);
  errand->length = length;
  if (napi_create_string_utf8(env, "savepoint", (size_t)-1, &name) != 0) return answer(env, -ENOMEM);
  if (napi_create_async_work(env, NULL, name, run_errand, end_errand, room, &errand->work) != 0) return answer(env, -ENOMEM);
  if (napi_create_reference(env, call.given[1], 1, &errand->reference) == 0) {
    if (napi_create_promise(env, &errand->promise, &promise) == 0 && napi_queue_async_work(env, errand->work) == 0) return promise;
    napi_delete_reference(env, errand->reference);
  }
  napi_delete_async_work(env, errand->work);
  return answer(env, -ENOMEM);
}

/* watchInit(): an inotify handle that never blocks. */
static napi_value watch_init(napi_env env, napi_callback_info info) {
  (void)info;
  return answer(env, ask(__NR_inotify_init1, O_CLOEXEC | O_NONBLOCK, 0, 0, 0));
}

/* watchAdd(fd, path, mask): the watch's number. */
static napi_value watch_add(napi_env env, napi_callback_info info) {
  struct call call;
  long fd, mask;
  char path[PATH_ROOM];
  if (!begins(&call, env, info, 3)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  const long wrong = take_path(&call, 1, path);
  if (wrong != 0) return answer(env, wrong);
  if (!take_number(&call, 2, 1, UINT32_MAX, &mask)) return answer(env, -EINVAL);
  return answer(env, ask_again(__NR_inotify_add_watch, fd, (long)path, mask, 0));
}

/* watchRemove(fd, watch): 0. */
static napi_value watch_remove(napi_env env, napi_callback_info info) {
  struct call call;
  long fd, watch;
  if (!begins(&call, env, info, 2)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  if (!take_number(&call, 1, INT32_MIN, INT32_MAX, &watch)) return answer(env, -EINVAL);
  return answer(env, ask(__NR_inotify_rm_watch, fd, watch, 0, 0));
}

/* watchRead(fd, room): how many bytes of events there are in the room now; 0 when nothing happened. */
static napi_value watch_read(napi_env env, napi_callback_info info) {
  struct call call;
  long fd;
  unsigned char *room;
  size_t length;
  if (!begins(&call, env, info, 2)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  if (!take_room(&call, 1, &room, &length)) return answer(env, -EINVAL);
  const long got = ask_again(__NR_read, fd, (long)room, (long)(length < (1u << 30) ? length : 1u << 30), 0);
  return answer(env, got == -EAGAIN ? 0 : got);
}

/* close(fd): 0. */
static napi_value close_handle(napi_env env, napi_callback_info info) {
  struct call call;
  long fd;
  if (!begins(&call, env, info, 1)) return answer(env, -EINVAL);
  if (!take_number(&call, 0, 0, INT32_MAX, &fd)) return answer(env, -EINVAL);
  return answer(env, ask(__NR_close, fd, 0, 0, 0));
}

static int offer(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  return napi_create_function(env, name, (size_t)-1, callback, NULL, &function) == 0 &&
         napi_set_named_property(env, exports, name, function) == 0;
}

/* Both are found by their names; everything else stays inside. */
__attribute__((visibility("default"))) int32_t node_api_module_get_api_version_v1(void) { return 8; }

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value number = answer(env, INTERFACE);
  if (number == NULL || napi_set_named_property(env, exports, "interface", number) != 0) return NULL;
  const int all = offer(env, exports, "listWithStats", list_folder) && offer(env, exports, "listAside", list_aside) &&
                  offer(env, exports, "watchInit", watch_init) && offer(env, exports, "watchAdd", watch_add) && offer(env, exports, "watchRemove", watch_remove) &&
                  offer(env, exports, "watchRead", watch_read) && offer(env, exports, "close", close_handle);
  return all ? exports : NULL;
}
