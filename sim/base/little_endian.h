/* Words in the order of bytes of files and checksums, on any machine. */
#ifndef SIM_BASE_LITTLE_ENDIAN_H
#define SIM_BASE_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

/* The eight bytes at `bytes`, of which the first has the lowest bits. */
static inline uint64_t little_endian_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#endif
