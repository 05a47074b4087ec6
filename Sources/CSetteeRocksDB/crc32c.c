#include "CSetteeRocksDB.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <string.h>

__attribute__((target("sse4.2"))) static uint32_t fast(uint32_t crc, const uint8_t *bytes, size_t count)
{
    uint64_t wide = crc;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    crc = (uint32_t)wide;
    for (; count; count--) crc = _mm_crc32_u8(crc, *bytes++);
    return crc;
}
#endif

/// One bit after the other.
static uint32_t slow(uint32_t crc, const uint8_t *bytes, size_t count)
{
    for (; count; count--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
    }
    return crc;
}

uint32_t rocks_crc32c(const void *bytes, size_t count)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return ~fast(~0u, bytes, count);
#endif
    return ~slow(~0u, bytes, count);
}
