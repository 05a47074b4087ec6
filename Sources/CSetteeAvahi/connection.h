// A connection to the daemon and what it is for. Everything but `references`, `is_ended` and `poll` belongs to its
// thread.
#ifndef SETTEE_AVAHI_CONNECTION_H
#define SETTEE_AVAHI_CONNECTION_H

#include "CSetteeAvahi.h"
#include "library.h"
#include <pthread.h>
#include <stdatomic.h>

/// A service as it appears on one network interface with one version of IP.
struct appearance {
    struct appearance *next;
    settee_avahi *connection;
    /// One that has failed stays here until it is tried again.
    service_resolver *resolver;
    bool has_failed;
    /// Not yet seen by the browser that has taken the place of the one that found it.
    bool is_unconfirmed;
    int interface, protocol;
    char *name;
};

struct settee_avahi {
    atomic_int references;
    atomic_bool is_ended;
    /// Holds `poll` while another thread wakes it.
    pthread_mutex_t mutex;
    simple_poll *poll;

    settee_avahi_handler handler;
    void *context;
    char *type;

    client *client;
    int client_state;
    /// The client can do no more: another one has to take its place.
    bool is_lost;
    /// Whether it has ever done what it is for. Until then a failure ends it.
    bool has_begun;
    /// When the daemon, and what was not resolved, are tried again.
    int64_t next_connection, next_resolution;

    /// Wanted, then in use; NULL for one that browses.
    char *name;
    uint16_t port;
    string_list *texts;
    entry_group *group;
    int group_state;
    bool is_committed, is_told;

    service_browser *browser;
    struct appearance *appearances;
    size_t count, limit;
    /// Some were left out at the limit: when there is room the browser begins anew.
    bool has_overflowed;
};

/// Milliseconds of a clock that never goes back.
int64_t settee_avahi_now(void);

/// Calls the handler.
void settee_avahi_tell(settee_avahi *connection, settee_avahi_event event);

/// Does what is due while the daemon answers. Returns 0 or Avahi's error, with which the client is given up.
int settee_avahi_go_on_advertising(settee_avahi *connection);
int settee_avahi_go_on_browsing(settee_avahi *connection, int *wait);

/// Returns the error of the call that failed last, never 0.
int settee_avahi_last_error(settee_avahi *connection);

/// Forgets all appearances. Their resolvers have gone with the client.
void settee_avahi_forget(settee_avahi *connection);

#endif
