/* The few functions of Node-API (version 8) that are used. They are ABI-stable: any node from 12.22 on has them. */
#ifndef SAVEPOINT_NODE_API_H
#define SAVEPOINT_NODE_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
/* 0 is napi_ok. */
typedef int napi_status;

enum { NAPI_UINT8_ARRAY = 1 };

napi_status napi_create_double(napi_env env, double value, napi_value *result);
napi_status napi_create_function(napi_env env, const char *name, size_t length, napi_callback callback, void *data,
                                 napi_value *result);
napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count, napi_value *arguments,
                             napi_value *self, void **data);
napi_status napi_get_typedarray_info(napi_env env, napi_value array, int *type, size_t *length, void **data,
                                     napi_value *buffer, size_t *offset);
napi_status napi_get_value_double(napi_env env, napi_value value, double *result);
napi_status napi_get_value_string_utf16(napi_env env, napi_value value, uint16_t *text, size_t room, size_t *length);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);

#endif
