#include "sim/base/checksum.h"

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Up to 8 bytes as a little-endian word. */
static uint64_t word_at(const char *bytes, size_t length)
{
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return word;
}

uint64_t checksum(const char *bytes, size_t length)
{
    enum { WORD = sizeof(uint64_t) };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t done = 0;
    for (; length - done >= WORD; done += WORD)
        hash = mixed(hash, word_at(bytes + done, WORD));
    if (done < length)
        hash = mixed(hash, word_at(bytes + done, length - done));
    return mixed(hash, length);
}
