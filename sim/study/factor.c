#include "sim/study/factor.h"

#include <string.h>

#include "sim/base/name_table.h"
#include "sim/scenario/format/types.h"

typedef struct {
    Arena *arena;
    const ScenarioFile *scenario;
    Problems *problems;
    const FactorText *text;
    Factor *factor;
    Level *levels; /* of `factor`, while they are made */
    int32_t capacity;
} Reader;

enum { LEVELS_MAX = 100000 };

static Status *problem(const Reader *reader, const Json *at, const char *message)
{
    return problems_add(reader->problems, STATUS_BAD_INPUT, at->at, "factor \"%s\": %s",
                        reader->factor->name, message);
}

/* --- Levels --- */

/* Fills in the number of a label such as "-4" or "1.25". */
static void read_number(Level *level)
{
    enum { DECIMALS = 9 };
    const bool is_negative = level->label[0] == '-';
    Status unused;
    int64_t number;
    if (!decimal_parse(level->label + is_negative, DECIMALS, "a number", place_in("", 0, 0),
                       &number, &unused))
        return;
    level->number = is_negative ? -number : number;
    level->divisor = 1000000000;
}

Level level_create(const char *label, int32_t setting_count, const Setting *settings)
{
    Level level = {.label = label, .setting_count = setting_count, .settings = settings};
    read_number(&level);
    return level;
}

static void add_level(Reader *reader, const char *label, int32_t setting_count,
                      const Setting *settings)
{
    reader->levels[reader->factor->level_count++] = level_create(label, setting_count, settings);
}

static void make_room(Reader *reader, int64_t count)
{
    reader->levels = ARENA_ARRAY(reader->arena, Level, count);
    reader->factor->levels = reader->levels;
}

/* --- Targets: what a factor sets --- */

static int32_t target_count(const FactorText *text)
{
    return text->set == NULL || text->set->kind == JSON_STRING ? 1 : text->set->count;
}

static const Json *target_node(const FactorText *text, int32_t index)
{
    return text->set == NULL || text->set->kind == JSON_STRING ? text->set
                                                               : json_item(text->set, index);
}

/* The settings of all targets, without their values. */
static Setting *settings_of(const Reader *reader, Place at)
{
    const int32_t count = target_count(reader->text);
    Setting *settings = ARENA_ARRAY(reader->arena, Setting, count);
    for (int32_t i = 0; i < count; i++) {
        const Json *node = target_node(reader->text, i);
        const char *parameter =
            reader->text->param.value != NULL ? reader->text->param.value : reader->factor->name;
        settings[i] = (Setting){.target = node != NULL ? node->text : parameter,
                                .is_parameter = node == NULL,
                                .at = at};
    }
    return settings;
}

/* NULL: the scenario has no such parameter. */
static const Parameter *parameter_named(const Reader *reader, const char *name)
{
    for (int32_t i = 0; i < reader->scenario->parameter_count; i++)
        if (strcmp(reader->scenario->parameters[i].name, name) == 0)
            return &reader->scenario->parameters[i];
    return NULL;
}

/* `value` as the option of `run` that changes the target has it. */
static const char *option_value(Arena *arena, bool is_parameter, const Json *value)
{
    return is_parameter ? json_bare_text(arena, value) : json_text(arena, value);
}

/* A level at which all targets have the value. */
static void add_value(Reader *reader, const Json *value, Place at)
{
    Setting *settings = settings_of(reader, at);
    const int32_t count = target_count(reader->text);
    for (int32_t i = 0; i < count; i++)
        settings[i].value = option_value(reader->arena, settings[i].is_parameter, value);
    add_level(reader, json_bare_text(reader->arena, value), count, settings);
}

static bool check_pointer(const Reader *reader, const Json *node)
{
    if (node->kind == JSON_STRING && node->text[0] == '/')
        return true;
    status_hint(problem(reader, node, "\"set\" is not a JSON pointer"),
                "as in /commands/0/config/properties/nodeCount; a pointer begins with '/'");
    return false;
}

/* The parameter that a factor without "set" and "choices" sets. */
static bool check_parameter(const Reader *reader)
{
    const FactorText *text = reader->text;
    const ScenarioFile *scenario = reader->scenario;
    const char *wanted = text->param.value != NULL ? text->param.value : reader->factor->name;
    const Place at = text->param.node != NULL ? text->param.node->at : reader->factor->at;
    const char **names = ARENA_ARRAY(reader->arena, const char *, scenario->parameter_count);
    for (int32_t i = 0; i < scenario->parameter_count; i++) {
        names[i] = scenario->parameters[i].name;
        if (strcmp(names[i], wanted) == 0)
            return true;
    }
    Status *missing = problems_add(reader->problems, STATUS_BAD_INPUT, at,
                                   "the scenario has no parameter \"%s\"", wanted);
    if (scenario->parameter_count > 0)
        status_hint_names(missing, wanted, names, scenario->parameter_count);
    else
        status_hint(missing, "declare it in the scenario's \"parameters\", or name the value that "
                             "the factor changes: \"set\": \"/POINTER\"");
    return false;
}

static bool check_targets(const Reader *reader)
{
    const FactorText *text = reader->text;
    bool is_sound = true;
    if (text->set == NULL && text->choices == NULL)
        return check_parameter(reader);
    if (text->set != NULL && text->param.node != NULL) {
        problem(reader, text->set, "has both \"set\" and \"param\"");
        return false;
    }
    if (text->set != NULL && (text->set->kind == JSON_OBJECT || text->set->count == 0) &&
        text->set->kind != JSON_STRING)
        return check_pointer(reader, text->set);
    for (int32_t i = 0; text->set != NULL && i < target_count(text); i++)
        is_sound &= check_pointer(reader, target_node(text, i));
    return is_sound;
}

/* --- `values` --- */

/* "1..16" or "10..100 by 10". */
static bool range_parse(const char *text, int64_t *first, int64_t *last, int64_t *step)
{
    const char *dots = strstr(text, "..");
    const char *by = strstr(text, " by ");
    char low[24] = "", high[24] = "";
    *step = 1;
    if (dots == NULL || (by != NULL && !whole_number_parse(by + 4, INT32_MAX, step)))
        return false;
    const size_t low_length = (size_t)(dots - text);
    const size_t high_length = by != NULL ? (size_t)(by - dots - 2) : strlen(dots + 2);
    if (low_length >= sizeof low || high_length >= sizeof high)
        return false;
    memcpy(low, text, low_length);
    memcpy(high, dots + 2, high_length);
    return whole_number_parse(low, INT64_C(1) << 53, first) &&
           whole_number_parse(high, INT64_C(1) << 53, last) && *step >= 1;
}

static bool read_range(Reader *reader, const Json *node)
{
    int64_t first, last, step;
    const bool is_range = range_parse(node->text, &first, &last, &step);
    if (is_range && last < first) {
        status_hint(problem(reader, node, "the range begins above its end"),
                    "ranges rise; a list may fall, as in [8, 4, 2]");
        return false;
    }
    if (!is_range) {
        status_hint(problem(reader, node, "\"values\" is neither a list nor a range of integers"),
                    "as in \"1..16\" or \"10..100 by 10\"");
        return false;
    }
    if ((last - first) / step >= LEVELS_MAX) {
        problem(reader, node, "the range has more than 100000 values");
        return false;
    }
    make_room(reader, (last - first) / step + 1);
    for (int64_t value = first; value <= last; value += step)
        add_value(reader, json_integer(reader->arena, value), node->at);
    return true;
}

/* The words that the first target may have, as a list; NULL: any value may be there. */
static const Json *all_values(const Reader *reader, Place at)
{
    const Setting *target = settings_of(reader, at);
    if (target->is_parameter) {
        const Parameter *parameter = parameter_named(reader, target->target);
        return parameter != NULL ? parameter->choices : NULL;
    }
    const char *const *words = field_words_at(&scenario_type, target->target);
    Json *list = words != NULL ? json_array(reader->arena) : NULL;
    for (; words != NULL && *words != NULL; words++)
        json_add(list, json_string(reader->arena, *words))->at = at;
    return list;
}

static bool read_all_values(Reader *reader, const Json *node)
{
    const Json *list = all_values(reader, node->at);
    if (list == NULL) {
        status_hint(problem(reader, node, "it may have any value, so \"all\" has no meaning"),
                    "as in {\"set\": \"/policy\", \"values\": \"all\"}");
        return false;
    }
    make_room(reader, list->count);
    for (const Json *value = list->first; value != NULL; value = value->next)
        add_value(reader, value, node->at);
    return true;
}

static bool read_values(Reader *reader, const Json *node)
{
    if (node->kind == JSON_STRING)
        return strcmp(node->text, FACTOR_ALL_VALUES) == 0 ? read_all_values(reader, node)
                                                          : read_range(reader, node);
    if (node->kind != JSON_ARRAY || node->count == 0) {
        status_hint(problem(reader, node, "\"values\" is neither a list nor a range of integers"),
                    "as in [1, 2, 4, 8] or \"1..16\"");
        return false;
    }
    make_room(reader, node->count);
    for (const Json *value = node->first; value != NULL; value = value->next)
        add_value(reader, value, value->at);
    return true;
}

/* --- `choices` --- */

static bool read_choice(Reader *reader, const Json *choice)
{
    if (choice->kind != JSON_OBJECT || choice->count == 0) {
        status_hint(problem(reader, choice, "a choice is not an object of pointers and values"),
                    "as in {\"/commands/0/config/properties/vmPriority\": \"lowpriority\"}");
        return false;
    }
    Setting *settings = ARENA_ARRAY(reader->arena, Setting, choice->count);
    int32_t count = 0;
    for (const Json *member = choice->first; member != NULL; member = member->next) {
        const bool is_parameter = member->key[0] != '/';
        settings[count++] = (Setting){.target = member->key,
                                      .is_parameter = is_parameter,
                                      .value = option_value(reader->arena, is_parameter, member),
                                      .at = member->key_at};
    }
    add_level(reader, choice->key, count, settings);
    return true;
}

static bool read_choices(Reader *reader, const Json *node)
{
    if (node->kind != JSON_OBJECT || node->count == 0) {
        problem(reader, node, "\"choices\" is not an object of choices by name");
        return false;
    }
    if (reader->text->set != NULL || reader->text->param.node != NULL) {
        problem(reader, node,
                "each of its choices names what it sets: it needs no \"set\" and no "
                "\"param\"");
        return false;
    }
    make_room(reader, node->count);
    bool is_sound = true;
    for (const Json *choice = node->first; choice != NULL; choice = choice->next)
        is_sound &= read_choice(reader, choice);
    return is_sound;
}

/* --- `scale` --- */

/* The scenario's own value of a target; NULL: it has none. */
static const Json *own_value(const Reader *reader, const Setting *setting)
{
    if (!setting->is_parameter)
        return json_find(reader->scenario->root, setting->target);
    const Parameter *parameter = parameter_named(reader, setting->target);
    return parameter != NULL ? parameter->value : NULL;
}

/* The scenario's own value of a target times `factor`; NULL with a problem. */
static const char *scaled(const Reader *reader, const Setting *setting, const Json *factor)
{
    const Json *own = own_value(reader, setting);
    if (own == NULL) {
        status_hint(problem(reader, factor, "the scenario has no value to multiply"),
                    "\"%s\" leads to no value", setting->target);
        return NULL;
    }
    const Json *value = value_times(reader->arena, own, factor);
    if (value == NULL)
        status_hint(problem(reader, factor, "the scenario's value cannot be multiplied"),
                    "\"%s\" is %s; a number, or a text of one number with a unit can",
                    setting->target, json_text(reader->arena, own));
    return value != NULL ? option_value(reader->arena, setting->is_parameter, value) : NULL;
}

static bool read_scale(Reader *reader, const Json *node)
{
    if (node->kind != JSON_ARRAY || node->count == 0) {
        status_hint(problem(reader, node, "\"scale\" is not a list of numbers"),
                    "as in [1, 1.25, 1.5]");
        return false;
    }
    make_room(reader, node->count);
    bool is_sound = true;
    for (const Json *factor = node->first; factor != NULL; factor = factor->next) {
        if (factor->kind != JSON_NUMBER || factor->number <= 0) {
            problem(reader, factor, "\"scale\" has an item that is not a number above 0");
            is_sound = false;
            continue;
        }
        Setting *settings = settings_of(reader, factor->at);
        const int32_t count = target_count(reader->text);
        for (int32_t i = 0; i < count && is_sound; i++)
            is_sound = (settings[i].value = scaled(reader, &settings[i], factor)) != NULL;
        add_level(reader, factor->text, count, settings);
    }
    return is_sound;
}

/* --- `between` --- */

static bool read_between(Reader *reader, const Json *node)
{
    ValueSpan span;
    Status status = {0};
    if (!value_span_read(node, (Spacing)reader->text->on.value, &span, &status)) {
        status_hint(problem(reader, node, status.message), "%s", status.hint);
        return false;
    }
    ValueSpan *kept = ARENA_NEW(reader->arena, ValueSpan);
    *kept = span;
    reader->factor->span = kept;
    reader->factor->is_log = span.spacing == SPACING_LOG;
    const int32_t count = (int32_t)reader->text->levels.value;
    make_room(reader, count);
    for (int32_t i = 0; i < count; i++) {
        const double value = value_span_at(&span, (double)i / (count - 1));
        add_value(reader, value_span_json(reader->arena, &span, value), node->at);
    }
    return true;
}

const Factor *factor_with_values(Arena *arena, const Factor *factor, const double *values,
                                 int32_t count, int32_t *level_of)
{
    Factor *made = ARENA_NEW(arena, Factor);
    *made = *factor;
    made->level_count = 0;
    Reader reader = {.arena = arena, .text = factor->text, .factor = made};
    make_room(&reader, count);
    NameTable *known = name_table_create(arena);
    for (int32_t i = 0; i < count; i++) {
        const Json *value = value_span_json(arena, factor->span, values[i]);
        const char *label = json_bare_text(arena, value);
        uint32_t level = (uint32_t)made->level_count;
        if (!name_table_find(known, label, &level)) {
            name_table_set(known, label, level);
            add_value(&reader, value, factor->at);
        }
        level_of[i] = (int32_t)level;
    }
    return made;
}

/* --- The whole --- */

static bool read_levels(Reader *reader)
{
    const FactorText *text = reader->text;
    const struct {
        const Json *node;
        bool (*read)(Reader *reader, const Json *node);
    } ways[] = {{text->values, read_values},
                {text->scale, read_scale},
                {text->choices, read_choices},
                {text->between, read_between}};
    bool (*read)(Reader *, const Json *) = NULL;
    const Json *node = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i].node == NULL)
            continue;
        if (read != NULL) {
            problem(reader, ways[i].node, "has its levels in more than one way");
            return false;
        }
        read = ways[i].read;
        node = ways[i].node;
    }
    if (read == NULL) {
        status_hint(problem(reader, text->node, "has no levels"),
                    "it needs \"values\", \"scale\", \"choices\" or \"between\"");
        return false;
    }
    return read(reader, node);
}

/* Two levels with one label would be one row of a table. */
static bool labels_differ(const Reader *reader)
{
    const Factor *factor = reader->factor;
    for (int32_t i = 0; i < factor->level_count; i++)
        for (int32_t k = 0; k < i && factor->level_count <= 1000; k++)
            if (strcmp(factor->levels[i].label, factor->levels[k].label) == 0) {
                status_hint(problems_add(reader->problems, STATUS_BAD_INPUT,
                                         factor->levels[i].settings[0].at,
                                         "factor \"%s\" has the level %s twice", factor->name,
                                         factor->levels[i].label),
                            "\"choices\" give combinations of several values a name each");
                return false;
            }
    return true;
}

const Factor *factor_read(Arena *arena, const Json *node, const ScenarioFile *scenario,
                          Problems *problems)
{
    const int32_t before = problems->count;
    Reader reader = {.arena = arena,
                     .scenario = scenario,
                     .problems = problems,
                     .text = bind_object(arena, node, &factor_type, problems),
                     .factor = ARENA_NEW(arena, Factor)};
    *reader.factor = (Factor){.name = node->key, .at = node->key_at, .text = reader.text};
    if (!bind_is_whole(&factor_type, reader.text) || problems->count > before ||
        !check_targets(&reader) || !read_levels(&reader) || !labels_differ(&reader))
        return NULL;
    return reader.factor;
}

int32_t factor_find_level(const Factor *factor, const char *label)
{
    for (int32_t i = 0; i < factor->level_count; i++)
        if (strcmp(factor->levels[i].label, label) == 0)
            return i;
    return -1;
}
