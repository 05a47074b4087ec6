#include "CSetteeJavaScript.h"
#include "library.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static struct settee_js_library js;
static group_ref group;

/// A context with one compiled function.
static struct slot {
    context_ref context;
    object_ref run;
    object_ref function;
} slots[SETTEE_JS_SLOTS];

/// What functions have written. `mark` is where an unfinished document begins.
static struct {
    char *bytes;
    size_t length, capacity, mark, limit;
} output;

/// More is given back to the system after a call.
enum { kept_capacity = 4 << 20 };

static string_ref arguments_text;
static uint32_t progress;
static bool has_timed_out, has_overflowed;

/// Why a module cannot be used, if the last call has met one that cannot; else NULL.
static string_ref module_failure;
/// Whether it is what the function ended its view with instead.
static bool is_fatal;

static bool end_script(context_ref context, void *data)
{
    (void)context, (void)data;
    has_timed_out = true;
    return true;
}

// MARK: Output

/// False: there is no memory left.
static bool reserve(size_t count)
{
    if (output.capacity - output.length >= count) return true;
    size_t capacity = output.capacity * 2 > output.length + count ? output.capacity * 2 : output.length + count;
    char *bytes = realloc(output.bytes, capacity);
    if (!bytes) return false;
    output.bytes = bytes;
    output.capacity = capacity;
    return true;
}

static bool append(string_ref text)
{
    size_t room = output.limit > output.length ? output.limit - output.length : 0;
    // A UTF-16 unit takes at least a byte.
    if (js.JSStringGetLength(text) > room) {
        has_overflowed = true;
        return false;
    }
    size_t most = js.JSStringGetMaximumUTF8CStringSize(text);
    if (!reserve(most)) return false;
    size_t written = js.JSStringGetUTF8CString(text, output.bytes + output.length, most);
    // The terminator is counted.
    if (written == 0) return false;
    if (written - 1 > room) {
        has_overflowed = true;
        return false;
    }
    output.length += written - 1;
    return true;
}

/// The driver's `write(text, action)`: 0 appends, 1 also marks the end, 2 goes back to the mark before both; 3 keeps the
/// text as what is wrong with a module, 4 as what the function ended its view with. False: the output would exceed its limit.
static value_ref write_output(
    context_ref context, object_ref function, object_ref self, size_t count, const value_ref arguments[],
    value_ref *exception
)
{
    (void)function, (void)self;
    if (count != 2) return js.JSValueMakeBoolean(context, false);
    double action = js.JSValueToNumber(context, arguments[1], exception);
    if (action == 2) output.length = output.mark;
    if (action == 3 || action == 4) {
        is_fatal = action == 4;
        if (module_failure) js.JSStringRelease(module_failure);
        module_failure = js.JSValueToStringCopy(context, arguments[0], exception);
        return js.JSValueMakeBoolean(context, true);
    }
    string_ref text = js.JSValueToStringCopy(context, arguments[0], exception);
    bool is_done = text && append(text);
    if (text) js.JSStringRelease(text);
    if (is_done && action != 0) output.mark = output.length;
    return js.JSValueMakeBoolean(context, is_done);
}

// MARK: Starting

bool settee_js_open(double time_limit, size_t output_limit)
{
#ifdef __APPLE__
    void *library = dlopen("/System/Library/Frameworks/JavaScriptCore.framework/JavaScriptCore", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libjavascriptcoregtk-4.1.so.0", RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) return false;
    bool is_whole = true;
#define TAKE(result, name, parameters) \
    *(void **)&js.name = dlsym(library, #name); \
    if (!js.name) is_whole = false;
    SETTEE_JS_FUNCTIONS(TAKE)
#undef TAKE
    if (!is_whole) return false;
    output.limit = output_limit;
    group = js.JSContextGroupCreate();
    js.JSContextGroupSetExecutionTimeLimit(group, time_limit, end_script, NULL);
    return true;
}

static value_ref evaluate(context_ref context, const char *source, value_ref *exception)
{
    string_ref text = js.JSStringCreateWithUTF8CString(source);
    value_ref value = js.JSEvaluateScript(context, text, NULL, NULL, 1, exception);
    js.JSStringRelease(text);
    return value;
}

static object_ref property(context_ref context, object_ref object, const char *name)
{
    string_ref text = js.JSStringCreateWithUTF8CString(name);
    value_ref exception = NULL;
    value_ref value = js.JSObjectGetProperty(context, object, text, &exception);
    js.JSStringRelease(text);
    return exception ? NULL : (object_ref)value;
}

/// The function that the driver script makes, for this context.
static object_ref make_driver(context_ref context, const char *driver, const char *modules)
{
    value_ref exception = NULL;
    value_ref library = js.JSValueMakeBoolean(context, false);
    if (*modules) {
        string_ref text = js.JSStringCreateWithUTF8CString(modules);
        library = js.JSValueMakeFromJSONString(context, text);
        js.JSStringRelease(text);
        if (!library) return NULL;
    }
    object_ref begin = (object_ref)evaluate(context, driver, &exception);
    if (exception || !begin) return NULL;
    value_ref arguments[] = {
        js.JSObjectMakeFunctionWithCallback(context, NULL, write_output),
        js.JSObjectMakeTypedArrayWithBytesNoCopy(
            context, array_of_uint32, &progress, sizeof progress, NULL, NULL, &exception
        ),
        library,
    };
    if (exception) return NULL;
    object_ref run = (object_ref)js.JSObjectCallAsFunction(context, begin, NULL, 3, arguments, &exception);
    return exception ? NULL : run;
}

// MARK: Functions

static void set_message(settee_js_outcome *outcome, const char *text, size_t length)
{
    outcome->message_length = length < sizeof outcome->message ? length : sizeof outcome->message;
    memcpy(outcome->message, text, outcome->message_length);
}

static void refuse_text(string_ref text, settee_js_outcome *outcome)
{
    size_t most = js.JSStringGetMaximumUTF8CStringSize(text);
    char *bytes = malloc(most);
    size_t written = bytes ? js.JSStringGetUTF8CString(text, bytes, most) : 0;
    if (written > 1) set_message(outcome, bytes, written - 1);
    free(bytes);
}

static void refuse(context_ref context, value_ref exception, settee_js_outcome *outcome)
{
    outcome->status = SETTEE_JS_REFUSED;
    static const char unknown[] = "It ends with an error that has no text.";
    set_message(outcome, unknown, sizeof unknown - 1);
    value_ref second = NULL;
    string_ref text = js.JSValueToStringCopy(context, exception, &second);
    if (text) {
        refuse_text(text, outcome);
        js.JSStringRelease(text);
    }
    if (!js.JSValueIsObject(context, exception)) return;
    value_ref line = property(context, (object_ref)exception, "line");
    double number = line ? js.JSValueToNumber(context, line, &second) : 0;
    if (number >= 1 && number <= UINT32_MAX) outcome->number = (uint32_t)number;
}

void settee_js_define(
    uint32_t number, const char *driver, const char *source, const char *modules, settee_js_outcome *outcome
)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->status = SETTEE_JS_FAILED;
    if (number >= SETTEE_JS_SLOTS) return;
    struct slot *slot = &slots[number];
    if (slot->context) js.JSGlobalContextRelease(slot->context);
    memset(slot, 0, sizeof *slot);

    has_timed_out = false;
    context_ref context = js.JSGlobalContextCreateInGroup(group, NULL);
    if (!context) return;
    object_ref run = make_driver(context, driver, modules);
    value_ref exception = NULL;
    object_ref function = run ? (object_ref)evaluate(context, source, &exception) : NULL;
    if (has_timed_out) {
        outcome->status = SETTEE_JS_TIME_LIMIT;
    } else if (exception) {
        refuse(context, exception, outcome);
    } else if (function && (!js.JSValueIsObject(context, function) || !js.JSObjectIsFunction(context, function))) {
        static const char text[] = "It is not a function. Write `function (doc) { ... }`.";
        outcome->status = SETTEE_JS_REFUSED;
        set_message(outcome, text, sizeof text - 1);
    } else if (function) {
        outcome->status = SETTEE_JS_DONE;
        js.JSValueProtect(context, run);
        js.JSValueProtect(context, function);
        *slot = (struct slot){context, run, function};
        return;
    }
    js.JSGlobalContextRelease(context);
}

void settee_js_take_arguments(const char *text)
{
    if (arguments_text) js.JSStringRelease(arguments_text);
    arguments_text = js.JSStringCreateWithUTF8CString(text);
    if (output.capacity > kept_capacity) {
        free(output.bytes);
        output.bytes = NULL;
        output.capacity = 0;
    }
    output.length = 0;
    output.mark = 0;
}

void settee_js_call(uint32_t number, uint32_t form, settee_js_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->status = SETTEE_JS_FAILED;
    if (number >= SETTEE_JS_SLOTS || !slots[number].context || !reserve(sizeof(uint32_t))) return;
    struct slot *slot = &slots[number];
    value_ref parsed = arguments_text ? js.JSValueMakeFromJSONString(slot->context, arguments_text) : NULL;
    if (!parsed) {
        outcome->status = SETTEE_JS_UNREADABLE;
        return;
    }
    size_t start = output.length;
    output.length += sizeof(uint32_t);
    output.mark = output.length;
    progress = 0;
    has_timed_out = false;
    has_overflowed = false;
    if (module_failure) js.JSStringRelease(module_failure);
    module_failure = NULL;
    value_ref arguments[] = {js.JSValueMakeNumber(slot->context, form), slot->function, parsed};
    value_ref exception = NULL;
    js.JSObjectCallAsFunction(slot->context, slot->run, NULL, 3, arguments, &exception);
    outcome->number = progress;
    if (has_timed_out) {
        outcome->status = SETTEE_JS_TIME_LIMIT;
    } else if (has_overflowed) {
        outcome->status = SETTEE_JS_OUTPUT_LIMIT;
    } else if (exception && module_failure) {
        outcome->status = is_fatal ? SETTEE_JS_FATAL : SETTEE_JS_REFUSED;
        outcome->number = 0;
        refuse_text(module_failure, outcome);
    } else if (!exception) {
        uint32_t length = (uint32_t)(output.length - start - sizeof(uint32_t));
        for (size_t i = 0; i < sizeof length; i++) output.bytes[start + i] = (char)(length >> 8 * i);
        outcome->status = SETTEE_JS_DONE;
    }
}

const char *settee_js_output(size_t *length)
{
    *length = output.length;
    return output.bytes;
}
