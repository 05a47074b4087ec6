#include "CSetteeSQLiteAPI.h"
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

// SQLCipher takes a page of zeros for one that was never written, and hands it out without a look at its code. A hole in the file would
// so be read as content: the end of a long value, for one. All pages are written (it switches `secure_delete` on), so that none is empty.

// SQLITE_IOERR_DATA, which headers before 3.32 lack.
enum { damaged = SQLITE_IOERR | 32 << 8 };

/// How a kind of file is worked with: as the library does, but for reading.
typedef struct Methods {
    sqlite3_io_methods ours;
    const sqlite3_io_methods *theirs;
} Methods;

// One for each way of locking that the libraries have.
static Methods known[16];
static size_t count_known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int read_page(sqlite3_file *file, void *to, int count, sqlite3_int64 at)
{
    int code = ((const Methods *)file->pMethods)->theirs->xRead(file, to, count, at);
    const char *bytes = to;
    // Less than a page is asked for of the header alone.
    if (code != SQLITE_OK || count < 512 || bytes[0]) return code;
    return memcmp(bytes, bytes + 1, (size_t)count - 1) ? SQLITE_OK : damaged;
}

/// Those for files that the library works with by `theirs`. Null: there are too many.
static const Methods *methods(const sqlite3_io_methods *theirs)
{
    const Methods *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count_known && !found; i++)
        if (known[i].theirs == theirs || &known[i].ours == theirs) found = &known[i];
    if (!found && count_known < sizeof known / sizeof *known) {
        Methods *added = &known[count_known++];
        *added = (Methods){.ours = *theirs, .theirs = theirs};
        added->ours.xRead = read_page;
        found = added;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int sqlite_refuse_empty_pages(const SQLiteAPI *api, sqlite3 *db, const char *schema)
{
    sqlite3_file *file = NULL;
    int code = api->file_control(db, schema, SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    // Of a store in memory there is none.
    if (!file || !file->pMethods) return SQLITE_OK;
    const Methods *found = methods(file->pMethods);
    if (!found) return SQLITE_MISUSE;
    file->pMethods = &found->ours;
    return SQLITE_OK;
}
