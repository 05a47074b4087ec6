// sqlite.c on libsqlcipher, linked to it alone: the same work in an encrypted file with a raw key and pages of 4 KiB, as
// the engine has them. Where the library has no JSON functions, the workloads with an index do not run.
#define SQLITE_HAS_CODEC 1
#define SETTEE_RAW_KEY "x'5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e'"
#include "sqlite.c"
