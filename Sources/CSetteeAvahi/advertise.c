#include "connection.h"
#include <stdlib.h>
#include <string.h>

#define avahi settee_avahi_library

/// Where names are taken by other programs of this computer, so many are tried at once.
enum { names_tried = 100 };

static void group_changed(entry_group *group, int state, void *context)
{
    (void)group;
    ((settee_avahi *)context)->group_state = state;
}

/// Takes another name for the one in use. Returns 0 or an error.
static int rename_service(settee_avahi *connection)
{
    char *other = avahi.alternative_service_name(connection->name);
    char *name = other ? strdup(other) : NULL;
    avahi.free(other);
    if (!name) return error_no_memory;
    free(connection->name);
    connection->name = name;
    return 0;
}

/// Takes back what was committed. Returns 0 or an error.
static int withdraw(settee_avahi *connection)
{
    connection->is_committed = connection->is_told = false;
    int error = avahi.entry_group_reset(connection->group);
    connection->group_state = group_uncommitted;
    return error;
}

/// Adds the service under the first name that is free here, and commits it. Returns 0 or an error.
static int commit(settee_avahi *connection)
{
    for (int tried = 0; tried < names_tried; tried += 1) {
        int error = avahi.entry_group_add_service_strlst(
            connection->group, any_interface, any_protocol, 0, connection->name, connection->type, NULL, NULL,
            connection->port, connection->texts
        );
        if (error == 0) {
            connection->is_committed = true;
            return avahi.entry_group_commit(connection->group);
        }
        if (error != error_collision) return error;
        error = rename_service(connection);
        if (error != 0) return error;
    }
    return error_collision;
}

int settee_avahi_go_on_advertising(settee_avahi *connection)
{
    int error = 0;
    if (connection->client_state != client_running) {
        // The computer's own name is on trial. What refers to it has to be published again afterwards.
        return connection->is_committed ? withdraw(connection) : 0;
    }
    if (!connection->group) {
        connection->group = avahi.entry_group_new(connection->client, group_changed, connection);
        if (!connection->group) return settee_avahi_last_error(connection);
    }
    if (connection->group_state == group_failure) return settee_avahi_last_error(connection);
    if (connection->group_state == group_collision) {
        error = withdraw(connection);
        if (error == 0) error = rename_service(connection);
    }
    if (error == 0 && !connection->is_committed) error = commit(connection);
    if (error != 0) return error;
    if (connection->group_state == group_established && !connection->is_told) {
        connection->is_told = connection->has_begun = true;
        settee_avahi_tell(
            connection, (settee_avahi_event){.kind = SETTEE_AVAHI_NAMED, .name = connection->name}
        );
    }
    return 0;
}
