// What the modules SetteeJavaScript (the host) and SetteeJSWorker (its child process) need of C: starting a child,
// JavaScriptCore by dlopen, and giving up rights. The pieces share nothing but the numbers of the wire format.
#ifndef CSETTEE_JAVASCRIPT_H
#define CSETTEE_JAVASCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: The wire format. docs/internals/javascript.md describes the frames.

// A host takes a child of its own version only. Counts each change of the frames, and of what functions see and what
// becomes of what they answer.
#define SETTEE_JS_VERSION 4

// The child's exit status when no host of its version has started it.
#define SETTEE_JS_USAGE 64

// The first byte of a request.
#define SETTEE_JS_DEFINE 1
#define SETTEE_JS_CALL 2

// The first byte of a response.
#define SETTEE_JS_DONE 0
#define SETTEE_JS_REFUSED 1
#define SETTEE_JS_TIME_LIMIT 2
#define SETTEE_JS_FAILED 3
#define SETTEE_JS_UNREADABLE 4
#define SETTEE_JS_OUTPUT_LIMIT 5
#define SETTEE_JS_FATAL 6

// What a function is called as.
#define SETTEE_JS_MAP 0
#define SETTEE_JS_FILTER 1
#define SETTEE_JS_REDUCE 2
#define SETTEE_JS_VALIDATE 3

// The status of a child that has begun.
#define SETTEE_JS_READY 0
#define SETTEE_JS_LIBRARY_MISSING 1
#define SETTEE_JS_OTHER_VERSION 2

#define SETTEE_JS_SLOTS 32
#define SETTEE_JS_REQUEST_LIMIT (96u << 20)
#define SETTEE_JS_SOURCE_LIMIT (1u << 20)
#define SETTEE_JS_MODULES_LIMIT (32u << 20)

// MARK: The host.

/// Starts a program with no environment, `/dev/null` as standard error, and a socket as standard input and output.
/// No other descriptor of this process is open in it.
///
/// Returns 0, the child's process ID and this end of the socket, or an errno.
int settee_js_spawn(const char *path, char *const arguments[], int32_t *pid, int *socket);

/// Sends what the socket takes now. Returns the count, 0 if it takes nothing, -1 if the child is gone. No SIGPIPE.
ptrdiff_t settee_js_send(int socket, const void *bytes, size_t count);

/// Receives what is there. Returns the count, 0 if nothing is, -1 if the child is gone.
ptrdiff_t settee_js_receive(int socket, void *bytes, size_t count);

/// Waits until the socket can be read, or written. Returns early for a signal.
void settee_js_wait(int socket, bool to_write, int milliseconds);

/// The resident memory of a process in bytes; 0 where the system does not tell.
uint64_t settee_js_resident(int32_t pid);

/// The processor time that a process has used, in nanoseconds; 0 where the system does not tell.
uint64_t settee_js_processor_time(int32_t pid);

/// Waits until a child that has closed its end of the socket is gone, at most for some milliseconds, and returns its exit
/// status; -1 if it was killed or is still there. `settee_js_end` must follow.
int settee_js_exit_status(int32_t pid, int milliseconds);

/// Kills a child and waits until it is gone, so that no zombie stays. Closes the socket.
void settee_js_end(int32_t pid, int socket);

// MARK: The child.

/// Closes all descriptors but the standard ones, and gives up what can be given up before JavaScriptCore starts.
void settee_js_begin(uint64_t memory_limit);

/// Ends this process when the host has closed its end of the socket or has ended, whatever the other threads do.
bool settee_js_watch_host(int32_t host);

/// Gives up the rest: no more descriptors, no files, sockets, programs or processes. Returns whether the kernel took
/// the filter of system calls.
bool settee_js_confine(void);

/// What a definition or a call came to.
typedef struct {
    /// SETTEE_JS_DONE, ...
    uint8_t status;
    /// The line of the source, from 1, or 0; the number of the document that was in work.
    uint32_t number;
    /// Why a source was refused, as UTF-8 without a terminator.
    char message[512];
    size_t message_length;
} settee_js_outcome;

/// Loads JavaScriptCore and starts it. False: it is not installed, or it is not the one that this knows.
bool settee_js_open(double time_limit, size_t output_limit);

/// Compiles a function in a new context, which takes the place of the one in `slot`.
///
/// `driver` is the script that calls functions, `modules` a JSON object of what the function can require, or empty.
/// The texts end with a zero.
void settee_js_define(
    uint32_t slot, const char *driver, const char *source, const char *modules, settee_js_outcome *outcome
);

/// Begins a call with arguments: the text of a JSON array, which ends with a zero.
void settee_js_take_arguments(const char *text);

/// Calls a function with these arguments. What it writes is appended to the output, after its length in 4 bytes.
void settee_js_call(uint32_t slot, uint32_t form, settee_js_outcome *outcome);

/// The output of all calls since the arguments were taken, valid until the next ones are.
const char *settee_js_output(size_t *length);

#endif
