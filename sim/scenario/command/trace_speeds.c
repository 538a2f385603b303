#include "sim/scenario/command/trace_speeds.h"

#include <inttypes.h>
#include <string.h>

#include "sim/scenario/config/speed_config.h"
#include "sim/scenario/joblist/cells.h"
#include "sim/scenario/joblist/word_table.h"

typedef struct {
    const ConfigContext *context;
    const WorkloadText *text;
    const JobList *list;
    WordTable names; /* of kinds in the column */
    bool *is_kind;   /* [names.count] a cluster has it; valid once all words are read */
} SpeedReader;

/* One of the parts of "V100=1|A100=2.5". */
typedef struct {
    Cell name;
    int64_t ppm;
} SpeedPart;

/* Cuts the first part off `*rest`, which is NULL after the last one; false: it is not a speed. */
static bool next_part(const char **rest, SpeedPart *part)
{
    const char *text = *rest, *bar = strchr(text, '|');
    const size_t length = bar != NULL ? (size_t)(bar - text) : strlen(text);
    const char *sign = memchr(text, '=', length);
    *rest = bar != NULL ? bar + 1 : NULL;
    if (sign == NULL || sign == text)
        return false;
    part->name = (Cell){.text = text, .length = (int32_t)(sign - text)};
    const Cell number = {.text = sign + 1, .length = (int32_t)(text + length - (sign + 1))};
    return cell_scaled(number, KIND_SPEED_DECIMALS, &part->ppm) == CELL_READ &&
           kind_speed_is_allowed(part->ppm);
}

static int64_t first_row(const JobList *list, int32_t word)
{
    int64_t row = 0;
    while (row < list->count && list->speeds[row] != word)
        row++;
    return row;
}

/* Checks a word of the column and notes the names in it; false with a problem. */
static bool check_word(SpeedReader *reader, int32_t word)
{
    const char *text = reader->list->speed_words.texts[word];
    SpeedPart part;
    for (const char *rest = text; rest != NULL;) {
        if (next_part(&rest, &part)) {
            (void)word_table_add(&reader->names, part.name.text, (size_t)part.name.length);
            continue;
        }
        status_hint(problems_add(reader->context->problems, STATUS_BAD_INPUT,
                                 json_at(reader->text->trace.node),
                                 "row %" PRId64 " of \"%s\": speeds is \"%s\", expected such as "
                                 "\"V100=1|A100=2.5\"",
                                 first_row(reader->list, word) + 1, reader->text->trace.value,
                                 text),
                    "a speed is " KIND_SPEED_WORDS);
        return false;
    }
    return true;
}

/* The speeds that a word states on a cluster, and for other kinds those of the workload. */
static const KindSpeeds *speeds_of_word(const SpeedReader *reader, const ClusterSpec *spec,
                                        int32_t word, const KindSpeeds *of_all)
{
    Arena *arena = reader->context->arena;
    KindSpeeds *speeds = ARENA_NEW(arena, KindSpeeds);
    SpeedPart part;
    for (const char *rest = reader->list->speed_words.texts[word]; rest != NULL;) {
        uint32_t index = 0;
        if (!next_part(&rest, &part) ||
            !word_table_find(&reader->names, part.name.text, (size_t)part.name.length, &index))
            continue; // check_word has refused it
        const KindSet kinds = kinds_called(spec, reader->names.texts[index]);
        reader->is_kind[index] |= kinds != 0;
        speeds_set(speeds, kinds, part.ppm);
    }
    for (int32_t k = 0; of_all != NULL && k < spec->kind_count; k++)
        if (of_all->ppm[k] > 0)
            speeds_set(speeds, kind_set_of(k), of_all->ppm[k]);
    return speeds;
}

static void warn_of_names(const SpeedReader *reader)
{
    const WorkloadText *text = reader->text;
    for (uint32_t i = 0; i < reader->names.count; i++)
        if (!reader->is_kind[i])
            status_hint(problems_add(config_warnings(reader->context), STATUS_BAD_INPUT,
                                     json_at(text->trace.node),
                                     "\"%s\" states speeds on \"%s\", which have no effect",
                                     text->trace.value, reader->names.texts[i]),
                        "no kind of nodes of the jobs' cluster has this name, VM size or GPU "
                        "model");
}

static void warn_of_no_kinds(const SpeedReader *reader)
{
    status_hint(problems_add(config_warnings(reader->context), STATUS_BAD_INPUT,
                             json_at(reader->text->trace.node),
                             "\"%s\" states speeds, which have no effect",
                             reader->text->trace.value),
                "they count on a cluster with \"node_kinds\", even if that is one kind");
}

void trace_speeds_read(const ConfigContext *context, const WorkloadText *text,
                       const ClusterConfig *const *clusters, int32_t count, Workload *workload)
{
    const JobList *list = workload->list;
    SpeedReader reader = {
        .context = context, .text = text, .list = list, .names = word_table_create(context->arena)};
    const int32_t words = list->speeds != NULL ? list->speed_words.count : 0;
    bool has_kinds = false, is_sound = true;
    if (list->speeds == NULL && text->speeds == NULL)
        return;
    for (int32_t w = 0; w < words; w++)
        is_sound &= check_word(&reader, w);
    reader.is_kind = ARENA_ARRAY(context->arena, bool, reader.names.count);
    memset(reader.is_kind, 0, reader.names.count);
    const int32_t width = list->speed_words.count + 1;
    const KindSpeeds **speeds =
        ARENA_ARRAY(context->arena, const KindSpeeds *, (int64_t)count *width);
    for (int32_t c = 0; c < count; c++) {
        const ClusterSpec *spec = &clusters[c]->spec;
        const KindSpeeds *of_all = speeds_of_job(context, clusters[c], text->speeds, NULL);
        speeds[c * width] = of_all;
        for (int32_t w = 0; w < words; w++)
            speeds[c * width + 1 + w] = spec->kind_count > 0 && is_sound
                                            ? speeds_of_word(&reader, spec, w, of_all)
                                            : of_all;
        has_kinds |= spec->kind_count > 0;
    }
    workload->speeds_of_word = speeds;
    if (words > 0 && is_sound && has_kinds)
        warn_of_names(&reader);
    else if (words > 0 && is_sound)
        warn_of_no_kinds(&reader);
}
