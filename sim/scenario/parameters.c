#include "sim/scenario/parameters.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/model/arrival_rate.h"
#include "sim/scenario/parameter_set.h"
#include "sim/schema/expression.h"

static Status *problem(Parameters *all, Place at, const char *message)
{
    return problems_add(all->problems, STATUS_BAD_INPUT, at, "%s", message);
}

/* --- Names --- */

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    return ascii_is_letter(name[0]) && parameter_name_length(name) == length &&
           parameter_has_small_letter(name, length) && !expression_is_function(name, length);
}

int32_t parameter_find(const Parameters *all, const char *name, size_t length)
{
    for (int32_t i = 0; i < all->count; i++)
        if (strlen(all->names[i]) == length && strncmp(all->names[i], name, length) == 0)
            return i;
    return -1;
}

/* --- Values --- */

/* A value as something that can be compared with others of its kind. */
typedef struct {
    double number;
    int64_t quantity;
    ArrivalRate rate;
} Measure;

static ValueKind quantity_kind(ParameterKind kind)
{
    static const ValueKind kinds[] = {
#define X(name, word, expected, quantity) VALUE_##quantity,
        PARAMETER_KINDS(X)
#undef X
    };
    return kinds[kind];
}

static bool is_ordered(ParameterKind kind)
{
    return kind == PARAMETER_INTEGER || kind == PARAMETER_NUMBER || kind == PARAMETER_RATE ||
           quantity_kind(kind) != VALUE_TEXT;
}

/* False when `value` is not of `kind`; `status` then has the reason if the type of JSON is right.
 */
static bool measure(ParameterKind kind, const Json *value, Measure *measured, Status *status)
{
    *measured = (Measure){0};
    switch (kind) {
    case PARAMETER_INTEGER:
        measured->quantity = value->integer;
        return value->is_integer;
    case PARAMETER_NUMBER:
        measured->number = value->number;
        return value->kind == JSON_NUMBER;
    case PARAMETER_BOOLEAN:
        return value->kind == JSON_BOOLEAN;
    case PARAMETER_TEXT:
    case PARAMETER_CHOICE:
        return value->kind == JSON_STRING;
    case PARAMETER_RATE:
        return value->kind == JSON_STRING && arrival_rate_parse(value->text, &measured->rate);
    case PARAMETER_DURATION:
    case PARAMETER_SIZE:
    case PARAMETER_BANDWIDTH:
    case PARAMETER_RATIO:
    case PARAMETER_MONEY:
        return value->kind == JSON_STRING && value_parse(quantity_kind(kind), value->text,
                                                         value->at, &measured->quantity, status);
    }
    return false;
}

static int compare(ParameterKind kind, Measure a, Measure b)
{
    if (kind == PARAMETER_RATE)
        return arrival_rate_compare(a.rate, b.rate);
    if (kind == PARAMETER_NUMBER)
        return (a.number > b.number) - (a.number < b.number);
    return (a.quantity > b.quantity) - (a.quantity < b.quantity);
}

static const char *shown(Arena *arena, const Json *value)
{
    if (value->kind == JSON_STRING)
        return arena_printf(arena, "\"%s\"", value->text);
    return value->kind == JSON_NUMBER || value->kind == JSON_BOOLEAN ? parameter_value_text(value)
                                                                     : json_kind_name(value->kind);
}

/* Reports that `what` ("parameter \"nodes\"") is not of its kind. */
static void refuse_kind(Parameters *all, const char *what, ParameterKind kind, const Json *value,
                        const Status *why)
{
    if (why->code != STATUS_OK) {
        problems_add(all->problems, why->code, value->at, "%s: %s", what, why->message);
        return;
    }
    Status *refused =
        problems_add(all->problems, STATUS_BAD_INPUT, value->at, "%s is %s, expected %s", what,
                     shown(all->arena, value), parameter_kind_expected(kind));
    if (kind == PARAMETER_INTEGER && value->kind == JSON_NUMBER)
        status_hint(refused, "\"type\": \"number\" allows fractions");
}

static bool is_choice(const Json *choices, const char *word)
{
    for (const Json *choice = choices->first; choice != NULL; choice = choice->next)
        if (strcmp(choice->text, word) == 0)
            return true;
    return false;
}

static void refuse_choice(Parameters *all, const Parameter *parameter, const Json *value)
{
    const char **words = ARENA_ARRAY(all->arena, const char *, parameter->choices->count);
    int32_t count = 0;
    for (const Json *choice = parameter->choices->first; choice != NULL; choice = choice->next)
        words[count++] = choice->text;
    bind_unknown_name(all->problems, value->at, parameter->name, value->text, words, count);
}

static bool is_within(const Parameter *parameter, Measure value)
{
    Measure low, high;
    Status unused = {0};
    if (parameter->low == NULL)
        return true;
    return measure(parameter->kind, parameter->low, &low, &unused) &&
           measure(parameter->kind, parameter->high, &high, &unused) &&
           compare(parameter->kind, low, value) <= 0 && compare(parameter->kind, value, high) <= 0;
}

/* Whether `value` may be the value of `parameter`; adds a problem if not. */
static bool value_fits(Parameters *all, const Parameter *parameter, const Json *value)
{
    const char *what = arena_printf(all->arena, "parameter \"%s\"", parameter->name);
    Measure measured;
    Status status = {0};
    if (!measure(parameter->kind, value, &measured, &status))
        refuse_kind(all, what, parameter->kind, value, &status);
    else if (parameter->choices != NULL && !is_choice(parameter->choices, value->text))
        refuse_choice(all, parameter, value);
    else if (!is_within(parameter, measured))
        problems_add(all->problems, STATUS_BAD_INPUT, value->at, "%s is %s, expected %s", what,
                     shown(all->arena, value), parameter_limits(all->arena, parameter));
    else
        return true;
    return false;
}

/* --- Reading --- */

static ParameterKind kind_of(const ParameterText *text, const Json *value)
{
    if (text->kind.node != NULL)
        return (ParameterKind)text->kind.value;
    if (text->choices != NULL)
        return PARAMETER_CHOICE;
    if (value->kind == JSON_BOOLEAN)
        return PARAMETER_BOOLEAN;
    if (value->kind != JSON_NUMBER)
        return PARAMETER_TEXT;
    return value->is_integer ? PARAMETER_INTEGER : PARAMETER_NUMBER;
}

static bool read_range(Parameters *all, const Json *range, Parameter *parameter)
{
    const char *what = arena_printf(all->arena, "the range of \"%s\"", parameter->name);
    Measure low, high;
    Status status = {0};
    if (range == NULL)
        return true;
    if (!is_ordered(parameter->kind)) {
        problems_add(all->problems, STATUS_BAD_INPUT, range->at, "a %s has no range",
                     parameter_kind_word(parameter->kind));
        return false;
    }
    if (range->kind != JSON_ARRAY || range->count != 2) {
        problems_add(all->problems, STATUS_BAD_INPUT, range->at,
                     "%s is not two values such as [1, 64]", what);
        return false;
    }
    const Json *ends[] = {range->first, range->last};
    for (int32_t i = 0; i < 2; i++)
        if (!measure(parameter->kind, ends[i], i == 0 ? &low : &high, &status)) {
            refuse_kind(all, what, parameter->kind, ends[i], &status);
            return false;
        }
    parameter->low = ends[0];
    parameter->high = ends[1];
    if (compare(parameter->kind, low, high) <= 0)
        return true;
    problems_add(all->problems, STATUS_BAD_INPUT, range->at, "%s begins above its end", what);
    return false;
}

static bool read_choices(Parameters *all, const ParameterText *text, Parameter *parameter)
{
    const Json *choices = text->choices;
    if (parameter->kind != PARAMETER_CHOICE) {
        if (choices != NULL)
            problems_add(all->problems, STATUS_BAD_INPUT, choices->at, "a %s has no choices",
                         parameter_kind_word(parameter->kind));
        return choices == NULL;
    }
    bool are_words = choices != NULL && choices->kind == JSON_ARRAY && choices->count > 0;
    for (const Json *item = are_words ? choices->first : NULL; item != NULL; item = item->next)
        are_words &= item->kind == JSON_STRING;
    if (!are_words)
        problems_add(all->problems, STATUS_BAD_INPUT,
                     choices != NULL ? choices->at : text->node->at,
                     "the choice \"%s\" needs \"choices\", a list of texts", parameter->name);
    parameter->choices = choices;
    return are_words;
}

static bool read_unit(Parameters *all, const ParameterText *text, Parameter *parameter)
{
    const bool is_number =
        parameter->kind == PARAMETER_INTEGER || parameter->kind == PARAMETER_NUMBER;
    parameter->unit = text->unit.value;
    if (parameter->unit == NULL || is_number)
        return true;
    problems_add(all->problems, STATUS_BAD_INPUT, text->unit.node->at, "a %s has no \"unit\"",
                 parameter_kind_word(parameter->kind));
    return false;
}

/* The value that the text of `--param` states: JSON for numbers and booleans, else a string. */
static Json *changed_value(Parameters *all, ParameterKind kind, const Source *source)
{
    const bool is_json =
        kind == PARAMETER_INTEGER || kind == PARAMETER_NUMBER || kind == PARAMETER_BOOLEAN;
    Problems discarded = problems_create(all->arena);
    Json *value = is_json ? json_parse(all->arena, source->change_at.source, source->change,
                                       strlen(source->change), JSON_STRICT, &discarded)
                          : NULL;
    if (value == NULL)
        value = json_string(all->arena, source->change);
    value->at = source->change_at;
    return value;
}

static void take_value(Parameters *all, const Json *value, Parameter *parameter)
{
    parameter->value = value;
    parameter->origin = value->at;
    parameter->text = arena_strdup(all->arena, parameter_value_text(value));
}

/* Fills the parameter from its text and its change. */
static bool read_parameter(Parameters *all, const Source *source, Parameter *parameter)
{
    const ParameterText *text = source->text;
    const int32_t problems_before = all->problems->count;
    if (!bind_is_whole(&parameter_type, text) || text->value == NULL)
        return false; // which has been reported
    Json *value = parameter_uses_replace(all, json_copy(all->arena, text->value, NULL));
    if (all->problems->count > problems_before)
        return false;
    parameter->kind = kind_of(text, value);
    parameter->description = text->description.value;
    if (!read_range(all, text->range, parameter) || !read_choices(all, text, parameter) ||
        !read_unit(all, text, parameter) || !value_fits(all, parameter, value))
        return false;
    take_value(all, value, parameter);
    if (source->change == NULL)
        return true;
    const Json *changed = changed_value(all, parameter->kind, source);
    if (!value_fits(all, parameter, changed))
        return false;
    take_value(all, changed, parameter);
    return true;
}

void parameter_resolve(Parameters *all, int32_t index)
{
    Source *source = &all->sources[index];
    if (source->progress != UNREAD)
        return;
    source->progress = READING;
    source->progress = read_parameter(all, source, &all->items[index]) ? READ : REFUSED;
}

static void add_change(Parameters *all, const char *change)
{
    const Place at = place_in(arena_printf(all->arena, "--param %s", change), 0, 0);
    const size_t length = strcspn(change, "=");
    const char *name = arena_strndup(all->arena, change, length);
    if (change[length] == '\0') {
        status_hint(problem(all, at, "a parameter needs '=' and a value"), "as in nodes=6");
        return;
    }
    const int32_t index = parameter_find(all, name, length);
    if (index >= 0) {
        all->sources[index].change = change + length + 1;
        all->sources[index].change_at = at;
    } else if (all->count == 0) {
        status_hint(problem(all, at, "the scenario has no parameters"),
                    "declare them in its \"parameters\"; --set changes any value");
    } else {
        bind_unknown_name(all->problems, at, "parameter", name, all->names, all->count);
    }
}

static void declare(Parameters *all, const Json *member)
{
    if (!is_name(member->key))
        status_hint(problems_add(all->problems, STATUS_BAD_INPUT, member->key_at,
                                 "\"%s\" is not a name of a parameter", member->key),
                    "a letter, then letters, digits and '_', with a small letter; not the name of "
                    "a function");
    all->names[all->count] = member->key;
    all->items[all->count].name = member->key;
    all->sources[all->count].text = bind_object(all->arena, member, &parameter_type, all->problems);
    all->count++;
}

Parameters *parameters_read(Arena *arena, const Json *root, int32_t change_count,
                            const char *const *changes, Problems *problems)
{
    Parameters *all = ARENA_NEW(arena, Parameters);
    const Json *declared = json_member(root, "parameters");
    *all = (Parameters){.arena = arena, .problems = problems, .root = root};
    if (declared != NULL && declared->kind != JSON_OBJECT && declared->kind != JSON_NULL)
        problems_add(problems, STATUS_BAD_INPUT, declared->at,
                     "parameters is %s, expected an object", json_kind_name(declared->kind));
    else if (declared != NULL) {
        all->items = ARENA_ARRAY(arena, Parameter, declared->count);
        all->sources = ARENA_ARRAY(arena, Source, declared->count);
        all->names = ARENA_ARRAY(arena, const char *, declared->count);
        for (const Json *member = declared->first; member != NULL; member = member->next)
            declare(all, member);
    }
    for (int32_t i = 0; i < change_count; i++)
        add_change(all, changes[i]);
    for (int32_t i = 0; i < all->count; i++)
        parameter_resolve(all, i);
    return all;
}

void parameters_check_used(Parameters *all)
{
    for (int32_t i = 0; i < all->count; i++)
        if (all->items[i].use_count == 0)
            status_hint(problems_add(all->problems, STATUS_BAD_INPUT,
                                     all->sources[i].text->node->key_at,
                                     "parameter \"%s\" is not used", all->names[i]),
                        "write ${%s} where its value belongs", all->names[i]);
}

int32_t parameters_count(const Parameters *all)
{
    return all->count;
}

const Parameter *parameters_items(const Parameters *all)
{
    return all->items;
}

const char *parameter_limits(Arena *arena, const Parameter *parameter)
{
    if (parameter->low != NULL)
        return arena_printf(arena, "%s to %s", parameter_value_text(parameter->low),
                            parameter_value_text(parameter->high));
    if (parameter->choices == NULL)
        return NULL;
    const char *words = "";
    for (const Json *choice = parameter->choices->first; choice != NULL; choice = choice->next)
        words = arena_printf(arena, "%s%s%s", words, words[0] != '\0' ? ", " : "", choice->text);
    return words;
}
