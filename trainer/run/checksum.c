#include "trainer/run/checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"

#define MARK "trainyard fnv1a-64 "
#define ZEROS "0000000000000000"

enum { MARK_LENGTH = sizeof MARK - 1, DIGITS = sizeof ZEROS - 1 };

const char checksum_blank[] = MARK ZEROS;

/* The offset of the digits of the first mark; `length` if there is no mark. */
static size_t digits_place(const char *bytes, size_t length)
{
    const char *from = bytes;
    size_t left = length;
    while (left >= MARK_LENGTH + DIGITS) {
        const char *found = memchr(from, MARK[0], left - (MARK_LENGTH + DIGITS) + 1);
        if (!found)
            break;
        if (memcmp(found, MARK, MARK_LENGTH) == 0)
            return (size_t)(found - bytes) + MARK_LENGTH;
        left -= (size_t)(found - from) + 1;
        from = found + 1;
    }
    return length;
}

static void digest_print(const char *bytes, size_t length, size_t place, char digits[DIGITS + 1])
{
    uint64_t hash = bytes_hash(HASH_START, bytes, place);
    hash = bytes_hash(hash, ZEROS, DIGITS);
    hash = bytes_hash(hash, bytes + place + DIGITS, length - place - DIGITS);
    snprintf(digits, DIGITS + 1, "%016" PRIx64, hash);
}

void checksum_fill(char *bytes, size_t length)
{
    char digits[DIGITS + 1];
    size_t place = digits_place(bytes, length);
    invariant(place < length);
    digest_print(bytes, length, place, digits);
    memcpy(bytes + place, digits, DIGITS);
}

bool checksum_is_there(const char *bytes, size_t length)
{
    return digits_place(bytes, length) < length;
}

bool checksum_holds(const char *bytes, size_t length)
{
    char digits[DIGITS + 1];
    size_t place = digits_place(bytes, length);
    if (place == length)
        return false;
    digest_print(bytes, length, place, digits);
    return memcmp(bytes + place, digits, DIGITS) == 0;
}
