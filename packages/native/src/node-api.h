/* The functions of Node-API (version 8) that we use. They are ABI-stable: every node since 12.22 has them. */
#ifndef SAVEPOINT_NODE_API_H
#define SAVEPOINT_NODE_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef struct napi_async_work__ *napi_async_work;
typedef struct napi_deferred__ *napi_deferred;
typedef struct napi_ref__ *napi_ref;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
/* 0 is napi_ok. */
typedef int napi_status;
typedef void (*napi_async_execute_callback)(napi_env env, void *data);
typedef void (*napi_async_complete_callback)(napi_env env, napi_status status, void *data);

enum { NAPI_UINT8_ARRAY = 1 };

napi_status napi_create_async_work(napi_env env, napi_value resource, napi_value name,
                                   napi_async_execute_callback execute, napi_async_complete_callback complete,
                                   void *data, napi_async_work *result);
napi_status napi_create_double(napi_env env, double value, napi_value *result);
napi_status napi_create_function(napi_env env, const char *name, size_t length, napi_callback callback, void *data,
                                 napi_value *result);
napi_status napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *promise);
napi_status napi_create_reference(napi_env env, napi_value value, uint32_t count, napi_ref *result);
napi_status napi_create_string_utf8(napi_env env, const char *text, size_t length, napi_value *result);
napi_status napi_delete_async_work(napi_env env, napi_async_work work);
napi_status napi_delete_reference(napi_env env, napi_ref reference);
napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count, napi_value *arguments,
                             napi_value *self, void **data);
napi_status napi_get_typedarray_info(napi_env env, napi_value array, int *type, size_t *length, void **data,
                                     napi_value *buffer, size_t *offset);
napi_status napi_get_value_double(napi_env env, napi_value value, double *result);
napi_status napi_get_value_string_utf16(napi_env env, napi_value value, uint16_t *text, size_t buffer, size_t *length);
napi_status napi_queue_async_work(napi_env env, napi_async_work work);
napi_status napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value value);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);

#endif
