#include "library.h"
#include <dlfcn.h>
#include <pthread.h>

struct settee_avahi_library settee_avahi_library;
static bool is_open;

static bool take_functions(void *common, void *client)
{
    bool is_whole = true;
#define TAKE(library, name) \
    *(void **)&settee_avahi_library.name = dlsym(library, "avahi_" #name); \
    if (!settee_avahi_library.name) is_whole = false;
#define TAKE_COMMON(result, name, parameters) TAKE(common, name)
#define TAKE_CLIENT(result, name, parameters) TAKE(client, name)
    SETTEE_AVAHI_COMMON(TAKE_COMMON)
    SETTEE_AVAHI_CLIENT(TAKE_CLIENT)
    return is_whole;
}

/// libdbus, below Avahi's library, would have the whole process ignore SIGPIPE. It needs that on no system with
/// MSG_NOSIGNAL, and an app decides on its signals by itself.
static void leave_signals_alone(void)
{
    void *dbus = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!dbus) return;
    void (*change)(unsigned int) = NULL;
    *(void **)&change = dlsym(dbus, "dbus_connection_set_change_sigpipe");
    if (change) change(0);
}

static void open_library(void)
{
    void *common = dlopen("libavahi-common.so.3", RTLD_NOW | RTLD_LOCAL);
    void *client = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!common || !client || !take_functions(common, client)) return;
    leave_signals_alone();
    is_open = true;
}

bool settee_avahi_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return is_open;
}
