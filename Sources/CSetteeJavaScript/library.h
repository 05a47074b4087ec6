// The part of JavaScriptCore's C interface that is used here, declared by ourselves so that building needs no headers.
#ifndef SETTEE_JS_LIBRARY_H
#define SETTEE_JS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef const struct settee_js_group *group_ref;
typedef struct settee_js_context *context_ref;
typedef const struct settee_js_value *value_ref;
typedef struct settee_js_value *object_ref;
typedef struct settee_js_string *string_ref;
typedef bool (*should_end)(context_ref context, void *data);
typedef value_ref (*native_function)(
    context_ref context, object_ref function, object_ref self, size_t count, const value_ref arguments[],
    value_ref *exception
);
typedef void (*bytes_release)(void *bytes, void *data);

/// `kJSTypedArrayTypeUint32Array`.
enum { array_of_uint32 = 6 };

// Every function: result, name, parameters.
#define SETTEE_JS_FUNCTIONS(USE) \
    USE(group_ref, JSContextGroupCreate, (void)) \
    USE(void, JSContextGroupSetExecutionTimeLimit, (group_ref, double, should_end, void *)) \
    USE(context_ref, JSGlobalContextCreateInGroup, (group_ref, void *)) \
    USE(void, JSGlobalContextRelease, (context_ref)) \
    USE(value_ref, JSEvaluateScript, (context_ref, string_ref, object_ref, string_ref, int, value_ref *)) \
    USE(string_ref, JSStringCreateWithUTF8CString, (const char *)) \
    USE(void, JSStringRelease, (string_ref)) \
    USE(size_t, JSStringGetLength, (string_ref)) \
    USE(size_t, JSStringGetMaximumUTF8CStringSize, (string_ref)) \
    USE(size_t, JSStringGetUTF8CString, (string_ref, char *, size_t)) \
    USE(value_ref, JSValueMakeFromJSONString, (context_ref, string_ref)) \
    USE(value_ref, JSValueMakeBoolean, (context_ref, bool)) \
    USE(value_ref, JSValueMakeNumber, (context_ref, double)) \
    USE(double, JSValueToNumber, (context_ref, value_ref, value_ref *)) \
    USE(string_ref, JSValueToStringCopy, (context_ref, value_ref, value_ref *)) \
    USE(bool, JSValueIsObject, (context_ref, value_ref)) \
    USE(void, JSValueProtect, (context_ref, value_ref)) \
    USE(value_ref, JSObjectGetProperty, (context_ref, object_ref, string_ref, value_ref *)) \
    USE(bool, JSObjectIsFunction, (context_ref, object_ref)) \
    USE(object_ref, JSObjectMakeFunctionWithCallback, (context_ref, string_ref, native_function)) \
    USE(object_ref, JSObjectMakeTypedArrayWithBytesNoCopy, \
        (context_ref, int, void *, size_t, bytes_release, void *, value_ref *)) \
    USE(value_ref, JSObjectCallAsFunction, \
        (context_ref, object_ref, object_ref, size_t, const value_ref *, value_ref *))

#define SETTEE_JS_DECLARE(result, name, parameters) result(*name) parameters;
struct settee_js_library {
    SETTEE_JS_FUNCTIONS(SETTEE_JS_DECLARE)
};
#undef SETTEE_JS_DECLARE

#endif
