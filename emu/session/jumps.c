#include "emu/session/jumps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"

/* The store's name of all jumps, the oldest first: "SEQUENCE AT_NS EVENT" for each, each on a line.
 */
#define JUMPS_SETTING "jumps"

static bool parse(const char *line, Jump *jump)
{
    return sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNu64, &jump->sequence, &jump->at_ns,
                  &jump->event) == 3;
}

/* The jumps in the store, and their number. */
static int32_t read_all(Store *store, Jump jumps[JUMPS_KEPT])
{
    Arena *arena = arena_create();
    int32_t count = 0;
    const char *line = store_setting(store, arena, JUMPS_SETTING);
    while (line != NULL && count < JUMPS_KEPT && parse(line, &jumps[count])) {
        count++;
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    arena_destroy(arena);
    return count;
}

static bool write_all(Store *store, const Jump *jumps, int32_t count, Status *status)
{
    Text text = {0};
    for (int32_t i = 0; i < count; i++)
        text_printf(&text, "%" PRId64 " %" PRId64 " %" PRIu64 "\n", jumps[i].sequence,
                    jumps[i].at_ns, jumps[i].event);
    const bool is_written = store_set(store, JUMPS_SETTING, text_string(&text), status);
    text_free(&text);
    return is_written;
}

bool jumps_add(Store *store, Jump jump, Status *status)
{
    Jump jumps[JUMPS_KEPT + 1];
    int32_t count = read_all(store, jumps);
    jumps[count++] = jump;
    const int32_t forgotten = count > JUMPS_KEPT ? 1 : 0;
    return write_all(store, jumps + forgotten, count - forgotten, status);
}

bool jumps_last(Store *store, Jump *jump)
{
    Jump jumps[JUMPS_KEPT];
    const int32_t count = read_all(store, jumps);
    if (count > 0)
        *jump = jumps[count - 1];
    return count > 0;
}

bool jumps_forget(Store *store, int64_t at_ns, Status *status)
{
    Jump jumps[JUMPS_KEPT];
    const int32_t count = read_all(store, jumps);
    int32_t left = count;
    while (left > 0 && jumps[left - 1].at_ns >= at_ns)
        left--;
    return left == count || write_all(store, jumps, left, status);
}
