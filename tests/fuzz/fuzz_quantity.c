/* Every reader of a quantity on any bytes. An accepted value is a number of 0 or more; a refused
 * one has a reason. Exact seconds of a duration read back as the same duration. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef bool Reader(const char *text, Place at, int64_t *value, Status *status);

/* True when `text` was taken. */
static bool read_with(Reader *reader, const char *text, int64_t *value)
{
    Status status = {0};
    *value = -1;
    const bool is_read = reader(text, place_in("fuzz", 1, 1), value, &status);
    invariant(is_read == (*value >= 0));
    invariant(is_read == (status.code == STATUS_OK));
    invariant(is_read || status.message[0] != '\0');
    return is_read;
}

static void check_seconds_read_back(int64_t ns)
{
    Text text = {0};
    seconds_print(&text, ns);
    text_add(&text, "s");
    int64_t back;
    invariant(read_with(duration_parse, text_string(&text), &back));
    invariant(back == ns);
    text_clear(&text);
    duration_print(&text, ns);
    text_free(&text);
}

static void check_time_reads_back(int64_t unix_ms)
{
    char text[CIVIL_TEXT];
    iso_time_print(unix_ms, text);
    int64_t back;
    invariant(read_with(iso_time_parse, text, &back));
    invariant(back == unix_ms);
}

static void check_bytes_are_printed(int64_t bytes)
{
    Text text = {0};
    bytes_print(&text, bytes);
    invariant(text.length > 0);
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    invariant(text);
    memcpy(text, data, size);
    text[size] = '\0';
    int64_t value;
    if (read_with(duration_parse, text, &value))
        check_seconds_read_back(value);
    if (read_with(iso_duration_parse, text, &value))
        check_seconds_read_back(value);
    if (read_with(bytes_parse, text, &value))
        check_bytes_are_printed(value);
    if (read_with(rate_parse, text, &value))
        check_bytes_are_printed(value);
    if (read_with(iso_time_parse, text, &value))
        check_time_reads_back(value);
    free(text);
    return 0;
}
