#pragma once

#include <sqlite3.h>

/// Runs `body` once, at the next moment at which a checkpoint of `db` has read the log's header and nothing else yet:
/// SQLite then calls the method xUnfetch of the database file. For one connection at a time, of the linked library.
void checkpoint_race_arm(sqlite3 *_Nonnull db, void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

/// Whether `body` has run.
_Bool checkpoint_race_happened(void);

/// Gives the file its own methods back.
void checkpoint_race_disarm(void);
