#include "connection.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define avahi settee_avahi_library

enum { retry_milliseconds = 2000 };

int64_t settee_avahi_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void settee_avahi_tell(settee_avahi *connection, settee_avahi_event event)
{
    connection->handler(connection->context, &event);
}

static void tell_kind(settee_avahi *connection, int kind)
{
    settee_avahi_tell(connection, (settee_avahi_event){.kind = kind});
}

static void tell_failure(settee_avahi *connection, int error)
{
    const char *reason = error == SETTEE_AVAHI_NO_LIBRARY ? NULL : avahi.strerror(error);
    settee_avahi_tell(
        connection, (settee_avahi_event){.kind = SETTEE_AVAHI_FAILED, .error = error, .reason = reason}
    );
}

// MARK: The client

int settee_avahi_last_error(settee_avahi *connection)
{
    int error = avahi.client_errno(connection->client);
    return error != 0 ? error : error_any;
}

/// It is called for the first time while the client is being made.
static void client_changed(client *client, int state, void *context)
{
    (void)client;
    settee_avahi *connection = context;
    connection->client_state = state;
    if (state == client_failure) connection->is_lost = true;
}

/// Returns 0 or an error.
static int open_client(settee_avahi *connection, int flags)
{
    int error = error_no_memory;
    connection->is_lost = false;
    connection->client =
        avahi.client_new(avahi.simple_poll_get(connection->poll), flags, client_changed, connection, &error);
    return connection->client ? 0 : error;
}

static void close_client(settee_avahi *connection)
{
    if (connection->client) avahi.client_free(connection->client);
    connection->client = NULL;
    connection->is_lost = false;
    connection->group = NULL;
    connection->group_state = group_uncommitted;
    connection->is_committed = connection->is_told = false;
    connection->browser = NULL;
    settee_avahi_forget(connection);
}

/// Does what is due. Returns an error, with which the connection ends, or 0; `wait` are the milliseconds until
/// something will be due, or -1.
static int go_on(settee_avahi *connection, int *wait)
{
    *wait = -1;
    if (connection->is_lost) {
        close_client(connection);
        tell_kind(connection, SETTEE_AVAHI_DAEMON_GONE);
    }
    if (!connection->client) {
        int64_t now = settee_avahi_now();
        if (now < connection->next_connection) {
            *wait = (int)(connection->next_connection - now);
            return 0;
        }
        connection->next_connection = now + retry_milliseconds;
        if (open_client(connection, client_no_fail) != 0) {
            *wait = retry_milliseconds;
            return 0;
        }
    }
    if (connection->is_lost || connection->client_state == client_connecting) return 0;
    int error = connection->name ? settee_avahi_go_on_advertising(connection)
                                 : settee_avahi_go_on_browsing(connection, wait);
    if (error == 0) return 0;
    if (!connection->has_begun) return error;
    connection->is_lost = true;
    *wait = retry_milliseconds;
    return 0;
}

/// Returns 0 when the end is requested, or the error that ends it before it has begun.
static int serve(settee_avahi *connection)
{
    int error = open_client(connection, 0);
    if (error != 0) return error;
    tell_kind(connection, SETTEE_AVAHI_STARTED);
    while (!atomic_load(&connection->is_ended)) {
        int wait;
        error = go_on(connection, &wait);
        if (error != 0) return error;
        if (avahi.simple_poll_iterate(connection->poll, wait) != 0) return 0;
    }
    return 0;
}

// MARK: The thread

static void release(settee_avahi *connection)
{
    if (atomic_fetch_sub(&connection->references, 1) != 1) return;
    if (connection->texts) avahi.string_list_free(connection->texts);
    pthread_mutex_destroy(&connection->mutex);
    free(connection->type);
    free(connection->name);
    free(connection);
}

static void *run(void *argument)
{
    settee_avahi *connection = argument;
    int error = SETTEE_AVAHI_NO_LIBRARY;
    if (settee_avahi_open()) {
        pthread_mutex_lock(&connection->mutex);
        simple_poll *poll = connection->poll = avahi.simple_poll_new();
        pthread_mutex_unlock(&connection->mutex);
        error = poll ? serve(connection) : error_no_memory;
        close_client(connection);
        pthread_mutex_lock(&connection->mutex);
        connection->poll = NULL;
        pthread_mutex_unlock(&connection->mutex);
        if (poll) avahi.simple_poll_free(poll);
    }
    if (error != 0) tell_failure(connection, error);
    tell_kind(connection, SETTEE_AVAHI_ENDED);
    release(connection);
    return NULL;
}

/// Signals stay those of the app's threads.
static bool start_thread(settee_avahi *connection)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 512 << 10);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool has_started = pthread_create(&thread, &attributes, run, connection) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return has_started;
}

static settee_avahi *make(const char *type, settee_avahi_handler handler, void *context)
{
    settee_avahi *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    atomic_init(&connection->references, 1);
    pthread_mutex_init(&connection->mutex, NULL);
    connection->handler = handler;
    connection->context = context;
    connection->type = strdup(type);
    if (connection->type) return connection;
    release(connection);
    return NULL;
}

/// Returns the connection, which its thread then holds too, or NULL.
static settee_avahi *start(settee_avahi *connection)
{
    atomic_store(&connection->references, 2);
    if (start_thread(connection)) return connection;
    atomic_store(&connection->references, 1);
    release(connection);
    return NULL;
}

settee_avahi *settee_avahi_advertise(
    const char *type, const char *name, uint16_t port, const char *const texts[], size_t count,
    settee_avahi_handler handler, void *context
)
{
    settee_avahi *connection = make(type, handler, context);
    if (!connection) return NULL;
    connection->port = port;
    connection->name = strdup(name);
    bool is_whole = connection->name != NULL;
    // Without the library the thread will say so. Each string is put before the others.
    for (size_t index = count; index > 0 && is_whole && settee_avahi_open(); index -= 1) {
        string_list *longer = avahi.string_list_add(connection->texts, texts[index - 1]);
        if (longer) connection->texts = longer;
        else is_whole = false;
    }
    if (is_whole) return start(connection);
    release(connection);
    return NULL;
}

settee_avahi *settee_avahi_browse(const char *type, size_t limit, settee_avahi_handler handler, void *context)
{
    settee_avahi *connection = make(type, handler, context);
    if (!connection) return NULL;
    connection->limit = limit;
    return start(connection);
}

void settee_avahi_end(settee_avahi *connection)
{
    atomic_store(&connection->is_ended, true);
    pthread_mutex_lock(&connection->mutex);
    if (connection->poll) avahi.simple_poll_quit(connection->poll);
    pthread_mutex_unlock(&connection->mutex);
    release(connection);
}
