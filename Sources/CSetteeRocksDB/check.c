#include "CSetteeRocksDB.h"

// Where RocksDB's header is installed, the table must agree with it.
#if defined(SETTEE_ROCKSDB) && defined(__has_include)
#if __has_include(<rocksdb/c.h>)
#include <rocksdb/c.h>

#define ROCKS_COMPARE(result, name, parameters, arguments) \
    _Static_assert( \
        __builtin_types_compatible_p(__typeof__(rocks_api.name), __typeof__(&rocksdb_##name)), \
        "rocksdb_" #name " has another form in <rocksdb/c.h>");
ROCKS_FUNCTIONS(ROCKS_COMPARE)

_Static_assert((int)rocks_point_in_time_recovery == (int)rocksdb_point_in_time_recovery, "");
_Static_assert((int)rocks_lz4_compression == (int)rocksdb_lz4_compression, "");
_Static_assert(
    (int)rocks_two_level_index == (int)rocksdb_block_based_table_index_type_two_level_index_search, "");
#endif
#endif
