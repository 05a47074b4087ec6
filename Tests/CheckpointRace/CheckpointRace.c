#include "CheckpointRace.h"

#include <stdbool.h>
#include <stddef.h>

static sqlite3_file *file;
static const sqlite3_io_methods *methods;
static sqlite3_io_methods hooked;
static void (*armed)(void *);
static void *argument;
static bool happened;

static int unfetch(sqlite3_file *of, sqlite3_int64 at, void *page)
{
    if (armed && !page) {
        void (*body)(void *) = armed;
        armed = NULL;
        happened = true;
        body(argument);
    }
    return methods->xUnfetch(of, at, page);
}

void checkpoint_race_arm(sqlite3 *db, void (*body)(void *), void *context)
{
    sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    methods = file->pMethods;
    hooked = *methods;
    hooked.xUnfetch = unfetch;
    file->pMethods = &hooked;
    armed = body;
    argument = context;
    happened = false;
}

_Bool checkpoint_race_happened(void) { return happened; }

void checkpoint_race_disarm(void)
{
    file->pMethods = methods;
    armed = NULL;
}
