#include "connection.h"
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#define avahi settee_avahi_library

enum { retry_milliseconds = 10000 };

// The one domain of multicast DNS: no other is asked.
static const char domain[] = "local";

// MARK: Telling

static void tell_gone(const struct appearance *appearance)
{
    settee_avahi_tell(
        appearance->connection,
        (settee_avahi_event){
            .kind = SETTEE_AVAHI_GONE,
            .interface = appearance->interface,
            .protocol = appearance->protocol,
            .name = appearance->name,
        }
    );
}

static void try_again_later(settee_avahi *connection)
{
    if (connection->next_resolution == 0) connection->next_resolution = settee_avahi_now() + retry_milliseconds;
}

static void resolved(
    service_resolver *resolver, int interface, int protocol, int event, const char *name, const char *type,
    const char *in_domain, const char *host, const network_address *address, uint16_t port, string_list *strings,
    int flags, void *context
)
{
    (void)resolver, (void)interface, (void)protocol, (void)name, (void)type, (void)in_domain, (void)flags;
    struct appearance *appearance = context;
    if (event != resolver_found) {
        appearance->has_failed = true;
        try_again_later(appearance->connection);
        tell_gone(appearance);
        return;
    }
    settee_avahi_text texts[SETTEE_AVAHI_TEXTS];
    size_t count = 0;
    for (; strings && count < SETTEE_AVAHI_TEXTS; strings = avahi.string_list_get_next(strings)) {
        texts[count].bytes = avahi.string_list_get_text(strings);
        texts[count].length = avahi.string_list_get_size(strings);
        count += 1;
    }
    size_t length = address ? (address->protocol == protocol_ipv6 ? 16 : 4) : 0;
    char interface_name[IF_NAMESIZE] = "";
    if (appearance->interface > 0) if_indextoname((unsigned)appearance->interface, interface_name);
    settee_avahi_tell(
        appearance->connection,
        (settee_avahi_event){
            .kind = SETTEE_AVAHI_FOUND,
            .interface = appearance->interface,
            .protocol = appearance->protocol,
            .name = appearance->name,
            .host = host,
            .address = length == 0 ? NULL : address->bytes,
            .address_length = length,
            .interface_name = interface_name,
            .port = port,
            .texts = texts,
            .text_count = count,
        }
    );
}

// MARK: Appearances

/// Returns where the appearance is linked, or the link at the end.
static struct appearance **find(settee_avahi *connection, int interface, int protocol, const char *name)
{
    struct appearance **link = &connection->appearances;
    for (; *link; link = &(*link)->next) {
        if ((*link)->interface == interface && (*link)->protocol == protocol && strcmp((*link)->name, name) == 0) break;
    }
    return link;
}

static void resolve(struct appearance *appearance)
{
    settee_avahi *connection = appearance->connection;
    if (appearance->resolver) avahi.service_resolver_free(appearance->resolver);
    // Asked by the version of IP by which it has announced itself, it has an address of that version.
    appearance->resolver = avahi.service_resolver_new(
        connection->client, appearance->interface, appearance->protocol, appearance->name, connection->type, domain,
        appearance->protocol, 0, resolved, appearance
    );
    appearance->has_failed = appearance->resolver == NULL;
    if (appearance->has_failed) try_again_later(connection);
}

static void add(settee_avahi *connection, int interface, int protocol, const char *name)
{
    struct appearance **link = find(connection, interface, protocol, name);
    if (*link) {
        (*link)->is_unconfirmed = false;
        return;
    }
    if (connection->count >= connection->limit) {
        connection->has_overflowed = true;
        return;
    }
    struct appearance *appearance = calloc(1, sizeof *appearance);
    char *copy = strdup(name);
    if (!appearance || !copy) {
        free(appearance);
        free(copy);
        return;
    }
    *appearance = (struct appearance){
        .connection = connection, .interface = interface, .protocol = protocol, .name = copy
    };
    *link = appearance;
    connection->count += 1;
    resolve(appearance);
}

/// Drops the appearance of a link, which then leads to the next one.
static void drop(settee_avahi *connection, struct appearance **link)
{
    struct appearance *appearance = *link;
    *link = appearance->next;
    connection->count -= 1;
    if (appearance->resolver) avahi.service_resolver_free(appearance->resolver);
    tell_gone(appearance);
    free(appearance->name);
    free(appearance);
}

static void drop_unconfirmed(settee_avahi *connection)
{
    for (struct appearance **link = &connection->appearances; *link;) {
        if ((*link)->is_unconfirmed) drop(connection, link);
        else link = &(*link)->next;
    }
}

void settee_avahi_forget(settee_avahi *connection)
{
    while (connection->appearances) {
        struct appearance *appearance = connection->appearances;
        connection->appearances = appearance->next;
        free(appearance->name);
        free(appearance);
    }
    connection->count = 0;
    connection->has_overflowed = false;
    connection->next_resolution = 0;
}

// MARK: Browsing

static void browsed(
    service_browser *browser, int interface, int protocol, int event, const char *name, const char *type,
    const char *in_domain, int flags, void *context
)
{
    (void)browser, (void)type, (void)in_domain, (void)flags;
    settee_avahi *connection = context;
    switch (event) {
    case browser_new: add(connection, interface, protocol, name); break;
    case browser_remove: {
        struct appearance **link = find(connection, interface, protocol, name);
        if (*link) drop(connection, link);
        break;
    }
    case browser_all_for_now: drop_unconfirmed(connection); break;
    case browser_failure: connection->is_lost = true; break;
    default: break;
    }
}

/// Begins anew, to list what was left out.
static void renew(settee_avahi *connection)
{
    connection->has_overflowed = false;
    for (struct appearance *each = connection->appearances; each; each = each->next) each->is_unconfirmed = true;
    avahi.service_browser_free(connection->browser);
    connection->browser = NULL;
}

/// Resolves what could not be resolved, when it is time. Returns the milliseconds until then, or -1.
static int resolve_failed(settee_avahi *connection)
{
    if (connection->next_resolution == 0) return -1;
    int64_t left = connection->next_resolution - settee_avahi_now();
    if (left > 0) return (int)left;
    connection->next_resolution = 0;
    for (struct appearance *each = connection->appearances; each; each = each->next) {
        if (each->has_failed) resolve(each);
    }
    return connection->next_resolution == 0 ? -1 : retry_milliseconds;
}

int settee_avahi_go_on_browsing(settee_avahi *connection, int *wait)
{
    // Half: so that one service that comes and goes at the limit does not have all of them listed each time.
    if (connection->has_overflowed && connection->count <= connection->limit / 2) renew(connection);
    if (!connection->browser) {
        connection->browser = avahi.service_browser_new(
            connection->client, any_interface, any_protocol, connection->type, domain, 0, browsed, connection
        );
        if (!connection->browser) return settee_avahi_last_error(connection);
        connection->has_begun = true;
    }
    *wait = resolve_failed(connection);
    return 0;
}
