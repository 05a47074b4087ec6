#include "CSetteeSQLiteAPI.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

/// The connection's log; its methods are null where none is open.
static sqlite3_file *log_file(const SQLiteAPI *api, sqlite3 *db)
{
    sqlite3_file *file = NULL;
    if (api->file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return NULL;
    return file && file->pMethods ? file : NULL;
}

int sqlite_sync_log(const SQLiteAPI *api, sqlite3 *db)
{
    sqlite3_file *file = log_file(api, db);
    return file ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : SQLITE_OK;
}

_Bool sqlite_read_log(const SQLiteAPI *api, sqlite3 *db, void *to, int count, int64_t at)
{
    sqlite3_file *file = log_file(api, db);
    return file && file->pMethods->xRead(file, to, count, at) == SQLITE_OK;
}

uint32_t sqlite_frames_of_log(const SQLiteAPI *api, sqlite3 *db)
{
    sqlite3_file *file = NULL;
    if (api->file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
    // Who reads has the first part of the index mapped. It begins with its header, twice.
    // Layout: https://www.sqlite.org/walformat.html#the_wal_index_file_format
    void volatile *index = NULL;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK || !index) return 0;
    volatile uint32_t *first = (volatile uint32_t *)index, *second = first + 12;
    for (int i = 0; i < 1000; i++) {
        uint32_t frames = first[4];
        __sync_synchronize();
        if (second[4] == frames) return frames;
    }
    return 0;
}

_Bool sqlite_read_file(const SQLiteAPI *api, sqlite3 *db, void *to, int count, int64_t at)
{
    sqlite3_file *file = NULL;
    if (api->file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    return file && file->pMethods && file->pMethods->xRead(file, to, count, at) == SQLITE_OK;
}

int64_t sqlite_file_length(const SQLiteAPI *api, sqlite3 *db)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 length = -1;
    if (api->file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return -1;
    if (!file || !file->pMethods || file->pMethods->xFileSize(file, &length) != SQLITE_OK) return -1;
    return length;
}

int sqlite_errno_of_files(const SQLiteAPI *api, sqlite3 *db)
{
    sqlite3_file *log = log_file(api, db);
    // "old" is what is attached for a copy.
    const char *const schemas[] = {"main", "old"};
    int number = 0;
    for (size_t i = 0; !number && i < sizeof schemas / sizeof *schemas; i++)
        if (api->file_control(db, schemas[i], SQLITE_FCNTL_LAST_ERRNO, &number) != SQLITE_OK) number = 0;
    if (!number && log && log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number) != SQLITE_OK) number = 0;
    return number;
}

static uint32_t word(const unsigned char *bytes, _Bool big_endian)
{
    return big_endian ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3]
                      : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

void sqlite_log_checksum(const void *bytes, size_t count, _Bool big_endian, uint32_t sums[2])
{
    const unsigned char *at = bytes;
    for (const unsigned char *end = at + count; at < end; at += 8) {
        sums[0] += word(at, big_endian) + sums[1];
        sums[1] += word(at + 4, big_endian) + sums[0];
    }
}

_Bool sqlite_log_is_in_use(const char *path)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return 0;
    // Every connection holds this byte of the shared memory's file for reading ("DMS" in SQLite's os_unix.c).
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 128, .l_len = 1};
    _Bool is_in_use = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(file);
    return is_in_use;
}
