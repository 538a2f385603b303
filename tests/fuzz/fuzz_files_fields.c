/* Every reader of a small field of Azure Files on any bytes: ranges, ids of leases, times and
 * addresses of SAS, base64. A value that a reader accepts is printed and read back unchanged. */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "emu/files/auth/sas_fields.h"
#include "emu/files/lease.h"
#include "emu/files/range.h"
#include "emu/http/crypto.h"
#include "sim/base/invariant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(Arena *arena, const char *text)
{
    FilesRange range, back;
    if (!files_range_parse(text, &range))
        return;
    invariant(range.first >= 0 && range.first <= range.last);
    const char *again =
        range.last == INT64_MAX
            ? arena_printf(arena, "bytes=%" PRId64 "-", range.first)
            : arena_printf(arena, "bytes=%" PRId64 "-%" PRId64, range.first, range.last);
    invariant(files_range_parse(again, &back));
    invariant(back.first == range.first && back.last == range.last);
}

static void check_lease_id(const char *text)
{
    char id[LEASE_ID], back[LEASE_ID];
    if (!lease_id_read(text, id))
        return;
    invariant(strlen(id) == LEASE_ID - 1 && lease_id_read(id, back) && strcmp(id, back) == 0);
}

static void check_base64(Arena *arena, const char *text)
{
    size_t length;
    const unsigned char *bytes = base64_decode(arena, text, &length);
    invariant(!bytes || strcmp(base64_encode(arena, bytes, length), text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const char *text = arena_strndup(arena, (const char *)data, size);
    check_range(arena, text);
    check_lease_id(text);
    check_base64(arena, text);
    int64_t unix_ms = -1;
    if (sas_time_parse(text, &unix_ms))
        invariant(unix_ms >= 0);
    if (sas_addresses_have(text, "127.0.0.1"))
        invariant(strlen(text) <= 2 * sizeof "255.255.255.255");
    arena_destroy(arena);
    return 0;
}
