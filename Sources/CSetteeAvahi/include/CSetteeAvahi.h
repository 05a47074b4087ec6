// Advertises a service, and tells of the services that others advertise, for the module SetteeDiscovery. Avahi's client
// library is opened at run time. Each connection has a thread of its own.
#ifndef CSETTEE_AVAHI_H
#define CSETTEE_AVAHI_H

#include <stddef.h>
#include <stdint.h>

typedef struct settee_avahi settee_avahi;

// What an event tells.
/// The daemon answers. Told once.
#define SETTEE_AVAHI_STARTED 0
/// It could not be begun; `error` and `reason` say why. Only the end follows.
#define SETTEE_AVAHI_FAILED 1
/// The service is advertised under `name`, which differs from the wanted one where that was taken.
#define SETTEE_AVAHI_NAMED 2
/// A service was found, or something of it has changed.
#define SETTEE_AVAHI_FOUND 3
/// A service that may have been found is gone.
#define SETTEE_AVAHI_GONE 4
/// The daemon has ended: all services are gone. It is waited for.
#define SETTEE_AVAHI_DAEMON_GONE 5
/// The last event: the context is no longer used.
#define SETTEE_AVAHI_ENDED 6

/// An `error` of our own beside Avahi's negative ones: the library is not there, or is not the one that is known here.
#define SETTEE_AVAHI_NO_LIBRARY 1

/// How many strings of a TXT record are looked at.
#define SETTEE_AVAHI_TEXTS 32

typedef struct {
    const uint8_t *bytes;
    size_t length;
} settee_avahi_text;

/// Valid during the call that it is passed to. Nothing of it was checked: it is what others have sent.
typedef struct {
    int kind;
    int error;
    const char *reason;
    /// Which one of a service's appearances it is: it has one for each network interface and version of IP.
    int interface, protocol;
    const char *name;
    const char *host;
    /// 4 or 16 bytes; none if it is none.
    const uint8_t *address;
    size_t address_length;
    /// The name of the network interface; "" if it has gone.
    const char *interface_name;
    uint16_t port;
    const settee_avahi_text *texts;
    size_t text_count;
} settee_avahi_event;

/// Called on the connection's thread, one event at a time. It must not wait.
typedef void (*settee_avahi_handler)(void *context, const settee_avahi_event *event);

/// Begins to advertise a service on all network interfaces. NULL: there is no memory, or no thread.
///
/// `texts` are `count` strings of the TXT record. All strings are copied.
settee_avahi *settee_avahi_advertise(
    const char *type, const char *name, uint16_t port, const char *const texts[], size_t count,
    settee_avahi_handler handler, void *context
);

/// Begins to browse the services of a type. NULL: there is no memory, or no thread.
///
/// More than `limit` appearances at once are not told.
settee_avahi *settee_avahi_browse(const char *type, size_t limit, settee_avahi_handler handler, void *context);

/// Ends a connection, without waiting for the end. To be called once for each.
void settee_avahi_end(settee_avahi *connection);

#endif
