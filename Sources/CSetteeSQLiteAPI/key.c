#include "CSetteeSQLiteAPI.h"
#include <sqlite3.h>
#include <string.h>

/// "x'", two digits a byte, "'": how SQLCipher is given a key that it is not to derive another one from.
enum { text_length = 2 + 2 * sqlite_key_length + 1 };

static void write_text(char text[text_length + 1], const unsigned char *key)
{
    static const char digits[] = "0123456789abcdef";
    char *at = text;
    *at++ = 'x';
    *at++ = '\'';
    for (int i = 0; i < sqlite_key_length; i++) {
        *at++ = digits[key[i] >> 4];
        *at++ = digits[key[i] & 15];
    }
    *at++ = '\'';
    *at = 0;
}

/// No compiler may leave these stores out.
static void wipe(char *text, size_t count)
{
    for (volatile char *at = text; count--;) *at++ = 0;
}

int sqlite_set_key(const SQLiteAPI *api, sqlite3 *db, const void *key)
{
    if (!api->key_v2) return SQLITE_MISUSE;
    char text[text_length + 1];
    write_text(text, key);
    int code = api->key_v2(db, "main", text, text_length);
    wipe(text, sizeof text);
    return code;
}

int sqlite_attach_with_key(
    const SQLiteAPI *api, sqlite3 *db, const char *uri, const char *schema, const void *key)
{
    if (!api->key_v2) return SQLITE_MISUSE;
    sqlite3_stmt *statement = NULL;
    int code = api->prepare_v2(db, "ATTACH ?1 AS ?2 KEY ?3", -1, &statement, NULL);
    if (code != SQLITE_OK) return code;
    char text[text_length + 1];
    write_text(text, key);
    code = api->bind_text64(statement, 1, uri, strlen(uri), SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK) code = api->bind_text64(statement, 2, schema, strlen(schema), SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK) code = api->bind_text64(statement, 3, text, text_length, SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK) {
        errno = 0;
        code = api->step(statement);
        if (code == SQLITE_DONE) code = SQLITE_OK;
    }
    int ending = api->finalize(statement);
    wipe(text, sizeof text);
    return code == SQLITE_OK ? ending : code;
}
