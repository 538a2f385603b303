#include "sim/scenario/parameters.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/model/arrival_rate.h"
#include "sim/schema/expression.h"

typedef enum { UNREAD, READING, READ, REFUSED } Progress;

/* The text and the change of one parameter. */
typedef struct {
    const ParameterText *text;
    const char *change; /* "6" of --param nodes=6; NULL: none */
    Place change_at;
    Progress progress;
} Source;

struct Parameters {
    Arena *arena;
    Problems *problems;
    const Json *root;
    int32_t count;
    Parameter *items;
    Source *sources;    /* [count] */
    const char **names; /* [count] */
};

static Status *problem(Parameters *all, Place at, const char *message)
{
    return problems_add(all->problems, STATUS_BAD_INPUT, at, "%s", message);
}

/* --- Names --- */

static bool is_name_part(char c)
{
    return ascii_is_alphanumeric(c) || c == '_';
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (is_name_part(text[length]))
        length++;
    return length;
}

static bool has_small_letter(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            return true;
    return false;
}

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    return ascii_is_letter(name[0]) && name_length(name) == length &&
           has_small_letter(name, length) && !expression_is_function(name, length);
}

/* The index of the parameter called `name`; -1: there is none. */
static int32_t find(const Parameters *all, const char *name, size_t length)
{
    for (int32_t i = 0; i < all->count; i++)
        if (strlen(all->names[i]) == length && strncmp(all->names[i], name, length) == 0)
            return i;
    return -1;
}

/* --- Uses in texts --- */

/* "${content}", or "$${". */
typedef struct {
    const char *start;
    const char *content; /* NULL: "$${" */
    size_t length;       /* of the content */
    const char *end;
} Use;

/* Whether "${...}" with this content is a parameter or a formula. A shell variable like ${HOME} and
 * a shell expansion like ${x:-1} are not. */
static bool is_own(const char *content, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_name_part(content[i]) && strchr("+-*/(),. ", content[i]) == NULL)
            return false;
    return has_small_letter(content, length);
}

static bool use_find(const char *text, Use *use)
{
    for (const char *at = strchr(text, '$'); at != NULL; at = strchr(at + 1, '$')) {
        if (at[1] == '$' && at[2] == '{') {
            *use = (Use){.start = at, .end = at + 3};
            return true;
        }
        const size_t length = at[1] == '{' ? strcspn(at + 2, "}") : 0;
        if (length == 0 || at[2 + length] != '}' || !is_own(at + 2, length))
            continue;
        *use = (Use){.start = at, .content = at + 2, .length = length, .end = at + 2 + length + 1};
        return true;
    }
    return false;
}

/* The place of `where` in the string `node`. */
static Place place_inside(const Json *node, const char *where)
{
    Place at = node->at;
    if (at.line > 0)
        at.column += 1 + (int32_t)(where - node->text); // after the quote
    return at;
}

static void refuse_unknown(Parameters *all, const char *name, size_t length, Place at)
{
    const char *typed = arena_strndup(all->arena, name, length);
    Status *unknown =
        problems_add(all->problems, STATUS_BAD_INPUT, at, "unknown parameter \"%s\"", typed);
    if (nearest_name(typed, all->names, all->count) != NULL)
        status_hint_names(unknown, typed, all->names, all->count);
    else
        status_hint(unknown, "declare it in \"parameters\"; $${%s} is the plain text ${%s}", typed,
                    typed);
}

static void resolve(Parameters *all, int32_t index);

/* The parameter called `name`, which is used at `at`; NULL when it has no value, which has been
 * reported. */
static const Parameter *use_parameter(Parameters *all, const char *name, size_t length, Place at)
{
    const int32_t index = find(all, name, length);
    if (index < 0) {
        refuse_unknown(all, name, length, at);
        return NULL;
    }
    Parameter *parameter = &all->items[index];
    parameter->uses = array_room(all->arena, parameter->uses, parameter->use_count + 1,
                                 &parameter->use_capacity, sizeof *parameter->uses);
    parameter->uses[parameter->use_count++] = at;
    if (all->sources[index].progress == READING) {
        problems_add(all->problems, STATUS_BAD_INPUT, at,
                     "the value of parameter \"%s\" depends on itself", parameter->name);
        return NULL;
    }
    resolve(all, index);
    return all->sources[index].progress == READ ? parameter : NULL;
}

/* --- Formulas --- */

enum { NUMBER_DECIMALS = 9 };
#define NUMBER_SCALE INT64_C(1000000000)

/* Makes `parameter` a variable of a formula at `at`. False, with a problem, when it has no number.
 */
static bool variable_of(Parameters *all, const Parameter *parameter, Place at,
                        ExpressionVariable *variable)
{
    *variable = (ExpressionVariable){.name = parameter->name, .divisor = 1};
    if (parameter->kind == PARAMETER_INTEGER) {
        variable->value = parameter->value->integer;
        return true;
    }
    variable->divisor = NUMBER_SCALE;
    if (parameter->kind != PARAMETER_NUMBER)
        status_hint(problems_add(all->problems, STATUS_BAD_INPUT, at,
                                 "parameter \"%s\" is a %s and cannot be in a formula",
                                 parameter->name, parameter_kind_word(parameter->kind)),
                    "formulas take integers and numbers");
    else if (!json_scaled(parameter->value, NUMBER_DECIMALS, &variable->value))
        problems_add(all->problems, STATUS_BAD_INPUT, at,
                     "parameter \"%s\" is %s, and a formula takes numbers with at most %d decimals",
                     parameter->name, parameter->text, (int)NUMBER_DECIMALS);
    else
        return true;
    return false;
}

/* The variables of the formula in `use`. False, with problems, when one of them has no number. */
static bool variables_find(Parameters *all, const Json *node, const Use *use,
                           ExpressionVariable **variables, int32_t *count)
{
    bool are_numbers = true;
    *variables = ARENA_ARRAY(all->arena, ExpressionVariable, use->length);
    *count = 0;
    for (const char *here = use->content; here < use->content + use->length;) {
        const size_t length = name_length(here);
        const bool is_variable =
            length > 0 && !ascii_is_digit(*here) && !expression_is_function(here, length);
        if (is_variable) {
            const Place at = place_inside(node, here);
            const Parameter *parameter = use_parameter(all, here, length, at);
            are_numbers &=
                parameter != NULL && variable_of(all, parameter, at, &(*variables)[(*count)++]);
        }
        here += length > 0 ? length : 1;
    }
    return are_numbers;
}

/* NULL when `value` has more than NUMBER_DECIMALS decimals. */
static Json *fraction_json(Arena *arena, Fraction value)
{
    if (value.denominator == 1)
        return json_integer(arena, value.numerator);
    int64_t scaled = value.numerator;
    int32_t decimals = 0;
    for (int64_t scale = 1; scale % value.denominator != 0; scale *= 10)
        if (++decimals > NUMBER_DECIMALS)
            return NULL;
    int64_t scale = 1;
    for (int32_t i = 0; i < decimals; i++)
        scale *= 10;
    if (__builtin_mul_overflow(scaled, scale / value.denominator, &scaled))
        return NULL;
    const uint64_t size = scaled < 0 ? -(uint64_t)scaled : (uint64_t)scaled;
    return json_decimal(arena, arena_printf(arena, "%s%" PRIu64 ".%0*" PRIu64,
                                            scaled < 0 ? "-" : "", size / (uint64_t)scale,
                                            (int)decimals, size % (uint64_t)scale));
}

static const Json *formula_value(Parameters *all, const Json *node, const Use *use)
{
    ExpressionVariable *variables;
    int32_t count;
    Fraction value;
    Status status = {0};
    const char *formula = arena_strndup(all->arena, use->content, use->length);
    if (!variables_find(all, node, use, &variables, &count))
        return NULL;
    if (!expression_evaluate(formula, variables, count, place_inside(node, use->content), &value,
                             &status)) {
        problems_add_status(all->problems, &status);
        return NULL;
    }
    const Json *number = fraction_json(all->arena, value);
    if (number == NULL)
        status_hint(problems_add(all->problems, STATUS_BAD_INPUT, place_inside(node, use->content),
                                 "\"%s\" is %" PRId64 "/%" PRId64 ", which is not a number with "
                                 "at most %d decimals",
                                 formula, value.numerator, value.denominator, (int)NUMBER_DECIMALS),
                    "use ceil(...) or floor(...)");
    return number;
}

/* --- Replacing --- */

/* The value of `use` in the string `node`; NULL when it has none, which has been reported. */
static const Json *use_value(Parameters *all, const Json *node, const Use *use)
{
    if (name_length(use->content) != use->length)
        return formula_value(all, node, use);
    const Parameter *parameter =
        use_parameter(all, use->content, use->length, place_inside(node, use->start));
    return parameter != NULL ? parameter->value : NULL;
}

static const char *value_text(const Json *value)
{
    if (value->kind == JSON_BOOLEAN)
        return value->boolean ? "true" : "false";
    return value->text;
}

static Json *at_place(Json *value, Place at)
{
    value->at = at;
    return value;
}

/* The string `node` with values instead of uses. */
static Json *apply_to_string(Parameters *all, Json *node)
{
    Use use;
    if (!use_find(node->text, &use))
        return node;
    if (use.content != NULL && use.start == node->text && *use.end == '\0') {
        const Json *value = use_value(all, node, &use);
        return value != NULL ? at_place(json_copy(all->arena, value, NULL), node->at) : node;
    }
    Text text = {0};
    const char *rest = node->text;
    for (; use_find(rest, &use); rest = use.end) {
        const Json *value = use.content != NULL ? use_value(all, node, &use) : NULL;
        text_append(&text, rest, (size_t)(use.start - rest));
        text_add(&text, value != NULL ? value_text(value) : "${");
    }
    text_add(&text, rest);
    Json *whole = json_string(all->arena, text_string(&text));
    text_free(&text);
    return at_place(whole, node->at);
}

static void check_key(Parameters *all, const Json *member)
{
    Use use;
    if (member->key != NULL && use_find(member->key, &use) && use.content != NULL)
        problem(all, member->key_at, "a key cannot contain a parameter");
}

static Json *apply(Parameters *all, Json *tree)
{
    if (tree->kind == JSON_STRING)
        return apply_to_string(all, tree);
    for (Json *child = tree->first, *next; child != NULL; child = next) {
        next = child->next; // the child is about to be replaced
        if (tree == all->root && strcmp(child->key, "parameters") == 0)
            continue;
        check_key(all, child);
        Json *value = apply(all, child);
        if (value != child)
            json_replace(tree, child, value);
    }
    return tree;
}

Json *parameters_apply(Parameters *all, Json *tree)
{
    return all->count > 0 ? apply(all, tree) : tree;
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
    return value->kind == JSON_NUMBER || value->kind == JSON_BOOLEAN ? value_text(value)
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
    return at_place(value, source->change_at);
}

static void take_value(Parameters *all, const Json *value, Parameter *parameter)
{
    parameter->value = value;
    parameter->origin = value->at;
    parameter->text = arena_strdup(all->arena, value_text(value));
}

/* Fills the parameter from its text and its change. */
static bool read_parameter(Parameters *all, const Source *source, Parameter *parameter)
{
    const ParameterText *text = source->text;
    const int32_t problems_before = all->problems->count;
    if (!bind_is_whole(&parameter_type, text) || text->value == NULL)
        return false; // which has been reported
    Json *value = apply(all, json_copy(all->arena, text->value, NULL));
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

static void resolve(Parameters *all, int32_t index)
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
    const int32_t index = find(all, name, length);
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
        resolve(all, i);
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
        return arena_printf(arena, "%s to %s", value_text(parameter->low),
                            value_text(parameter->high));
    if (parameter->choices == NULL)
        return NULL;
    const char *words = "";
    for (const Json *choice = parameter->choices->first; choice != NULL; choice = choice->next)
        words = arena_printf(arena, "%s%s%s", words, words[0] != '\0' ? ", " : "", choice->text);
    return words;
}
