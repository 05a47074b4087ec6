// The part of Avahi's client interface that is used here, declared by ourselves so that building needs no headers.
#ifndef SETTEE_AVAHI_LIBRARY_H
#define SETTEE_AVAHI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct settee_avahi_poll simple_poll;
typedef struct settee_avahi_poll_interface poll_interface;
typedef struct settee_avahi_client client;
typedef struct settee_avahi_group entry_group;
typedef struct settee_avahi_browser service_browser;
typedef struct settee_avahi_resolver service_resolver;
typedef struct settee_avahi_strings string_list;

typedef struct {
    int protocol;
    uint8_t bytes[16];
} network_address;

enum { any_interface = -1, any_protocol = -1, protocol_ipv4 = 0, protocol_ipv6 = 1 };
enum { client_no_fail = 2 };
enum { client_registering = 1, client_running = 2, client_collision = 3, client_failure = 100, client_connecting = 101 };
enum { group_uncommitted = 0, group_established = 2, group_collision = 3, group_failure = 4 };
enum { browser_new = 0, browser_remove = 1, browser_all_for_now = 3, browser_failure = 4 };
enum { resolver_found = 0 };
enum { error_any = -1, error_collision = -8, error_no_memory = -24 };

typedef void (*client_callback)(client *, int state, void *);
typedef void (*group_callback)(entry_group *, int state, void *);
typedef void (*browser_callback)(
    service_browser *, int interface, int protocol, int event, const char *name, const char *type, const char *domain,
    int flags, void *
);
typedef void (*resolver_callback)(
    service_resolver *, int interface, int protocol, int event, const char *name, const char *type, const char *domain,
    const char *host, const network_address *, uint16_t port, string_list *, int flags, void *
);

// Every function: result, name without `avahi_`, parameters.
#define SETTEE_AVAHI_COMMON(USE) \
    USE(simple_poll *, simple_poll_new, (void)) \
    USE(void, simple_poll_free, (simple_poll *)) \
    USE(const poll_interface *, simple_poll_get, (simple_poll *)) \
    USE(int, simple_poll_iterate, (simple_poll *, int)) \
    USE(void, simple_poll_quit, (simple_poll *)) \
    USE(const char *, strerror, (int)) \
    USE(char *, alternative_service_name, (const char *)) \
    USE(void, free, (void *)) \
    USE(string_list *, string_list_add, (string_list *, const char *)) \
    USE(void, string_list_free, (string_list *)) \
    USE(string_list *, string_list_get_next, (string_list *)) \
    USE(uint8_t *, string_list_get_text, (string_list *)) \
    USE(size_t, string_list_get_size, (string_list *))

#define SETTEE_AVAHI_CLIENT(USE) \
    USE(client *, client_new, (const poll_interface *, int, client_callback, void *, int *)) \
    USE(void, client_free, (client *)) \
    USE(int, client_errno, (client *)) \
    USE(entry_group *, entry_group_new, (client *, group_callback, void *)) \
    USE(int, entry_group_reset, (entry_group *)) \
    USE(int, entry_group_commit, (entry_group *)) \
    USE(int, entry_group_add_service_strlst, \
        (entry_group *, int, int, int, const char *, const char *, const char *, const char *, uint16_t, \
         string_list *)) \
    USE(service_browser *, service_browser_new, \
        (client *, int, int, const char *, const char *, int, browser_callback, void *)) \
    USE(int, service_browser_free, (service_browser *)) \
    USE(service_resolver *, service_resolver_new, \
        (client *, int, int, const char *, const char *, const char *, int, int, resolver_callback, void *)) \
    USE(int, service_resolver_free, (service_resolver *))

#define SETTEE_AVAHI_DECLARE(result, name, parameters) result(*name) parameters;
struct settee_avahi_library {
    SETTEE_AVAHI_COMMON(SETTEE_AVAHI_DECLARE)
    SETTEE_AVAHI_CLIENT(SETTEE_AVAHI_DECLARE)
};
#undef SETTEE_AVAHI_DECLARE

extern struct settee_avahi_library settee_avahi_library;

/// False: it is not installed, or lacks something.
bool settee_avahi_open(void);

#endif
