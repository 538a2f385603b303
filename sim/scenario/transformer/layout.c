#include "sim/scenario/transformer/layout.h"

#include "sim/base/text.h"

/* --- The words of a layout --- */

typedef enum {
    CHOICE_TENSOR,
    CHOICE_CONTEXT,
    CHOICE_PIPELINE,
    CHOICE_CHUNKS,
    CHOICE_DATA,
    CHOICE_EXPERT,
    CHOICE_MICRO_BATCH,
    CHOICE_RECOMPUTE,
    CHOICE_SHARDING,
    CHOICE_PRECISION,
    CHOICE_SEQUENCE,
    CHOICE_ATTENTION,
    CHOICE_DIVIDES_EXPERTS,
    CHOICE_COUNT
} Choice;

static const char *const choice_names[CHOICE_COUNT] = {
    "tp",        "cp",       "pp",        "vpp", "dp",    "ep", "mb",
    "recompute", "sharding", "precision", "sp",  "flash", "etp"};

static const struct {
    const char *word;
    Choice choice;
    int64_t value;
} words[] = {
#define X(name, text) {text, CHOICE_SHARDING, SHARDING_##name},
    SHARDINGS(X)
#undef X
#define X(name, text) {text, CHOICE_PRECISION, PRECISION_##name},
        PRECISIONS(X)
#undef X
            {"recompute=none", CHOICE_RECOMPUTE, RECOMPUTE_NONE},
    {"recompute=selective", CHOICE_RECOMPUTE, RECOMPUTE_SELECTIVE},
    {"recompute=full", CHOICE_RECOMPUTE, RECOMPUTE_FULL},
    {"sp", CHOICE_SEQUENCE, 1},
    {"no-sp", CHOICE_SEQUENCE, 0},
    {"flash", CHOICE_ATTENTION, 1},
    {"no-flash", CHOICE_ATTENTION, 0},
    {"etp", CHOICE_DIVIDES_EXPERTS, 1},
    {"no-etp", CHOICE_DIVIDES_EXPERTS, 0},
};
enum { WORDS = sizeof words / sizeof words[0], NUMBERS = CHOICE_MICRO_BATCH + 1 };

/* The choices that a text gives; -1: not given. */
typedef struct {
    int64_t values[CHOICE_COUNT];
    bool is_best;
} Given;

static bool fail_word(Piece word, Status *status)
{
    static const char *const names[WORDS + NUMBERS + 1] = {
#define X(name, text) text,
        SHARDINGS(X) PRECISIONS(X)
#undef X
            "recompute=none",
        "recompute=selective",
        "recompute=full",
        "sp",
        "no-sp",
        "flash",
        "no-flash",
        "etp",
        "no-etp",
        "tp=1",
        "cp=1",
        "pp=1",
        "vpp=1",
        "dp=1",
        "ep=1",
        "mb=1",
        "best"};
    piece_bad(word, "a choice of a layout", status);
    (void)piece_hint_nearest(word, names, WORDS + NUMBERS + 1, status);
    return status->hint[0] != '\0' ||
           status_hint(status,
                       "tp=8, cp, pp, vpp, dp, ep, mb, ddp, zero1, fsdp, recompute=full, fp8");
}

/* "tp=8" */
static bool number_find(Piece word, Choice *choice, int64_t *value, Status *status)
{
    Piece number = word, name;
    (void)piece_cut(&number, '=', &name);
    for (int i = 0; i < NUMBERS; i++) {
        uint64_t read;
        if (!piece_is(name, choice_names[i]) || number.text == NULL)
            continue;
        if (!piece_digits(number, TRANSFORMER_GPUS_MOST, &read) || read == 0)
            return piece_bad(number, "a whole number from 1 to 65536", status);
        *choice = (Choice)i;
        *value = (int64_t)read;
        return true;
    }
    (void)fail_word(word, status);
    return false;
}

static bool word_find(Piece word, Choice *choice, int64_t *value, Status *status)
{
    for (int i = 0; i < WORDS; i++) {
        if (!piece_is(word, words[i].word))
            continue;
        *choice = words[i].choice;
        *value = words[i].value;
        return true;
    }
    return number_find(word, choice, value, status);
}

static bool given_read(Piece text, Given *given, Status *status)
{
    for (int i = 0; i < CHOICE_COUNT; i++)
        given->values[i] = -1;
    given->is_best = false;
    for (Piece word; piece_cut(&text, ',', &word);) {
        Choice choice = CHOICE_COUNT;
        int64_t value = 0;
        if (piece_is(word, "best")) {
            given->is_best = true;
            continue;
        }
        if (!word_find(word, &choice, &value, status))
            return false;
        if (given->values[choice] >= 0)
            return status_fail(status, STATUS_BAD_INPUT, word.at, "a second choice of %s",
                               choice_names[choice]);
        given->values[choice] = value;
    }
    return true;
}

/* --- Spaces --- */

/* The divisors of `whole` from 1 to `most`, smallest first. */
static void add_divisors(Choices *choices, int64_t whole, int64_t most)
{
    for (int64_t i = 1; i <= most && i <= whole && choices->count < SPACE_VALUES_MOST; i++)
        if (whole % i == 0)
            choices_add(choices, i);
}

static void add_powers(Choices *choices, int64_t most)
{
    for (int64_t i = 1; i <= most && choices->count < SPACE_VALUES_MOST; i *= 2)
        choices_add(choices, i);
}

static void add_range(Choices *choices, int64_t first, int64_t last)
{
    for (int64_t i = first; i <= last; i++)
        choices_add(choices, i);
}

/* Whether `choice` is given; if so, it is the only value. */
static bool is_given(const Given *given, Choice choice, Choices *choices)
{
    if (given->values[choice] >= 0)
        choices_add(choices, given->values[choice]);
    return given->values[choice] >= 0;
}

/* The values of all dimensions that "best" chooses: tensor ranks of at most two nodes, and context
 * ranks with at least 4,096 tokens of a sequence each. */
static void add_best(const Given *given, const TransformerJob *job, LayoutSpace *space)
{
    enum { CHUNKS_MOST = 16, CONTEXT_TOKENS_LEAST = 4096, PIPELINE_MOST = 128 };
    if (!is_given(given, CHOICE_TENSOR, &space->tensor))
        add_divisors(&space->tensor, job->gpus, 2 * job->gpus_per_node);
    if (!is_given(given, CHOICE_CONTEXT, &space->context))
        add_powers(&space->context, job->shape.sequence / CONTEXT_TOKENS_LEAST > 1
                                        ? job->shape.sequence / CONTEXT_TOKENS_LEAST
                                        : 1);
    if (!is_given(given, CHOICE_PIPELINE, &space->pipeline))
        add_divisors(&space->pipeline, job->gpus,
                     job->shape.layers < PIPELINE_MOST ? job->shape.layers : PIPELINE_MOST);
    if (!is_given(given, CHOICE_CHUNKS, &space->chunks))
        add_divisors(&space->chunks, job->shape.layers, CHUNKS_MOST);
    if (!is_given(given, CHOICE_SHARDING, &space->sharding))
        add_range(&space->sharding, SHARDING_DDP, SHARDING_FSDP_KEPT);
    if (!transformer_has_experts(&job->shape))
        return;
    if (!is_given(given, CHOICE_EXPERT, &space->expert))
        add_divisors(&space->expert, job->shape.experts.count, job->gpus);
    if (!is_given(given, CHOICE_DIVIDES_EXPERTS, &space->divides_experts))
        add_range(&space->divides_experts, 0, 1);
}

/* With flash attention, recomputing the scores alone changes nothing. */
static void add_recomputes(const TransformerSoftware *software, LayoutSpace *space)
{
    choices_add(&space->recompute, RECOMPUTE_NONE);
    if (!space->has_flash_attention || software->selective_ppm > 0)
        choices_add(&space->recompute, RECOMPUTE_SELECTIVE);
    choices_add(&space->recompute, RECOMPUTE_FULL);
}

/* The given value, or else `value`; nothing if the choice has values. */
static void add_default(const Given *given, Choice choice, int64_t value, Choices *choices)
{
    if (choices->count == 0 && !is_given(given, choice, choices))
        choices_add(choices, value);
}

static void add_fixed(const Given *given, LayoutSpace *space)
{
    add_default(given, CHOICE_TENSOR, 1, &space->tensor);
    add_default(given, CHOICE_CONTEXT, 1, &space->context);
    add_default(given, CHOICE_PIPELINE, 1, &space->pipeline);
    add_default(given, CHOICE_CHUNKS, 1, &space->chunks);
    add_default(given, CHOICE_SHARDING, SHARDING_ZERO1, &space->sharding);
}

bool layout_space_read(Piece text, const TransformerJob *job, const TransformerMachine *machine,
                       LayoutSpace *space, Status *status)
{
    enum { MICRO_BATCH_MOST = 256 };
    Given given;
    *space = (LayoutSpace){0};
    if (!given_read(text, &given, status))
        return false;
    if (given.is_best)
        add_best(&given, job, space);
    else
        add_fixed(&given, space);
    add_default(&given, CHOICE_EXPERT, 1, &space->expert);
    add_default(&given, CHOICE_DIVIDES_EXPERTS, 1, &space->divides_experts);
    add_default(&given, CHOICE_SEQUENCE, 1, &space->sequence_parallel);
    space->has_flash_attention = given.values[CHOICE_ATTENTION] < 0
                                     ? machine->software->has_flash_attention
                                     : given.values[CHOICE_ATTENTION] != 0;
    if (!is_given(&given, CHOICE_RECOMPUTE, &space->recompute))
        add_recomputes(machine->software, space);
    if (!is_given(&given, CHOICE_MICRO_BATCH, &space->micro_batch))
        add_powers(&space->micro_batch,
                   job->global_batch < MICRO_BATCH_MOST ? job->global_batch : MICRO_BATCH_MOST);
    space->data = given.values[CHOICE_DATA] > 0 ? (int32_t)given.values[CHOICE_DATA] : 0;
    space->precision =
        given.values[CHOICE_PRECISION] == PRECISION_FP8 ? PRECISION_FP8 : PRECISION_BF16;
    if (space->precision == PRECISION_FP8 && machine->gpu->fp8_matmul_flops == 0)
        return status_fail(status, STATUS_BAD_INPUT, text.at, "%s has no FP8", machine->gpu->name);
    return true;
}

const char *layout_text(Arena *arena, const TransformerLayout *layout)
{
    Text text = {0};
    text_printf(&text, "dp=%d,tp=%d,pp=%d,cp=%d", (int)layout->data, (int)layout->tensor,
                (int)layout->pipeline, (int)layout->context);
    if (layout->chunks > 1)
        text_printf(&text, ",vpp=%d", (int)layout->chunks);
    if (layout->expert > 1)
        text_printf(&text, ",ep=%d", (int)layout->expert);
    if (!layout->divides_experts && layout->tensor > 1)
        text_add(&text, ",no-etp");
    text_printf(&text, ",%s,mb=%lld,recompute=%s,%s", sharding_name(layout->sharding),
                (long long)layout->micro_batch, recompute_name(layout->recompute),
                precision_name(layout->precision));
    if (!layout->is_sequence_parallel && layout->tensor > 1)
        text_add(&text, ",no-sp");
    if (!layout->has_flash_attention)
        text_add(&text, ",no-flash");
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}
