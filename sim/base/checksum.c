#include "sim/base/checksum.h"

#include <string.h>

#include "sim/base/little_endian.h"

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Less than 8 bytes as a little-endian word. */
static uint64_t part_of_word(const char *bytes, size_t length)
{
    char word[sizeof(uint64_t)] = {0};
    memcpy(word, bytes, length);
    return little_endian_word(word);
}

static const uint64_t start = UINT64_C(0xcbf29ce484222325);

enum { WORD = sizeof(uint64_t) };

uint64_t checksum(const char *bytes, size_t length)
{
    uint64_t hash = start;
    size_t done = 0;
    for (; length - done >= WORD; done += WORD)
        hash = mixed(hash, little_endian_word(bytes + done));
    if (done < length)
        hash = mixed(hash, part_of_word(bytes + done, length - done));
    return mixed(hash, length);
}

uint64_t checksum_wide(const char *bytes, size_t length)
{
    enum { LANES = 4 };
    uint64_t lanes[LANES] = {start, start, start, start};
    size_t done = 0;
    for (; length - done >= LANES * WORD; done += LANES * WORD)
        for (size_t lane = 0; lane < LANES; lane++) // each waits only for its own last word
            lanes[lane] = mixed(lanes[lane], little_endian_word(bytes + done + lane * WORD));
    uint64_t hash = checksum(bytes + done, length - done);
    for (size_t lane = 0; lane < LANES; lane++)
        hash = mixed(hash, lanes[lane]);
    return mixed(hash, length);
}
