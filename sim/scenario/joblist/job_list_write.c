/* Private to sim/scenario/joblist: the writer of job_list_file.h. */
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/scenario/joblist/columns.h"

enum { FLUSH_BYTES = 1 << 16 };

static void add_text(Text *out, const char *text)
{
    if (strpbrk(text, ",\"") == NULL && text[0] != ' ' &&
        (text[0] == '\0' || text[strlen(text) - 1] != ' ')) {
        text_add(out, text);
        return;
    }
    text_add(out, "\"");
    for (; *text != '\0'; text++)
        text_printf(out, *text == '"' ? "\"%c" : "%c", *text);
    text_add(out, "\"");
}

/* A number >= 0, faster than printf. */
static void add_number(Text *out, int64_t number)
{
    char digits[20];
    int32_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    text_append(out, digits + first, sizeof digits - (size_t)first);
}

static void add_seconds(Text *out, int64_t ns)
{
    if (ns % NS_PER_S == 0)
        add_number(out, ns / NS_PER_S);
    else
        seconds_print(out, ns);
}

static void add_name(Text *out, const JobList *list, int64_t row)
{
    if (list->names != NULL)
        add_text(out, list->names[row]);
    else
        add_number(out, row + 1);
}

static void add_cell(Text *out, const JobList *list, const JobColumn *column, int64_t row)
{
    const void *items = job_column_of(list, column);
    JobListWords words;
    switch (column->kind) {
    case COLUMN_NAME:
        add_name(out, list, row);
        break;
    case COLUMN_TIME:
        if (((const int64_t *)items)[row] != JOB_LIST_UNKNOWN)
            add_seconds(out, ((const int64_t *)items)[row]);
        break;
    case COLUMN_BYTES:
        if (((const int64_t *)items)[row] != JOB_LIST_UNKNOWN)
            add_number(out, ((const int64_t *)items)[row]);
        break;
    case COLUMN_COUNT:
        if (((const int32_t *)items)[row] != JOB_LIST_UNKNOWN)
            add_number(out, ((const int32_t *)items)[row]);
        break;
    case COLUMN_WORD:
        memcpy(&words, (const char *)list + column->words, sizeof words);
        if (((const int32_t *)items)[row] != JOB_LIST_UNKNOWN)
            add_text(out, words.texts[((const int32_t *)items)[row]]);
        break;
    case COLUMN_JOB:
        if (((const int64_t *)items)[row] != JOB_LIST_UNKNOWN)
            add_name(out, list, ((const int64_t *)items)[row]);
        break;
    }
}

static void add_comment(Text *out, const JobListProvenance *provenance)
{
    text_add(out, "# trainyard job list 1");
    if (provenance != NULL) {
        if (provenance->format != NULL)
            text_printf(out, "; %s", provenance->format);
        if (provenance->source != NULL)
            text_printf(out, "; %s", provenance->source);
        if (provenance->sha256 != NULL)
            text_printf(out, "; SHA-256 %s", provenance->sha256);
        if (provenance->sidecar != NULL)
            text_printf(out, "; options and counts in %s", provenance->sidecar);
    }
    text_add(out, "\n");
}

static void flush(Text *out, ByteSink sink)
{
    if (sink.write != NULL && out->length > 0)
        sink.write(sink.to, out->data, out->length);
    text_clear(out);
}

void job_list_write(const JobList *list, const JobListProvenance *provenance, ByteSink sink)
{
    Text out = {0};
    const JobColumn *written[JOB_COLUMN_COUNT];
    int32_t count = 0;
    add_comment(&out, provenance);
    for (int32_t i = 0; i < JOB_COLUMN_COUNT; i++) {
        if (i != JOB_COLUMN_names && job_column_of(list, &job_columns[i]) == NULL)
            continue;
        text_printf(&out, "%s%s", count > 0 ? "," : "", job_columns[i].name);
        written[count++] = &job_columns[i];
    }
    text_add(&out, "\n");
    for (int64_t row = 0; row < list->count; row++) {
        for (int32_t i = 0; i < count; i++) {
            if (i > 0)
                text_append(&out, ",", 1);
            add_cell(&out, list, written[i], row);
        }
        text_append(&out, "\n", 1);
        if (out.length >= FLUSH_BYTES)
            flush(&out, sink);
    }
    flush(&out, sink);
    text_free(&out);
}
