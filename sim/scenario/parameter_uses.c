/* Private to sim/scenario: finds "${...}" in the texts of a scenario and puts values there. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/scenario/parameter_set.h"
#include "sim/schema/expression.h"

static bool is_name_part(char c)
{
    return ascii_is_alphanumeric(c) || c == '_';
}

size_t parameter_name_length(const char *text)
{
    size_t length = 0;
    while (is_name_part(text[length]))
        length++;
    return length;
}

bool parameter_has_small_letter(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            return true;
    return false;
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
    return parameter_has_small_letter(content, length);
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

/* The parameter called `name`, which is used at `at`; NULL when it has no value, which has been
 * reported. */
static const Parameter *use_parameter(Parameters *all, const char *name, size_t length, Place at)
{
    const int32_t index = parameter_find(all, name, length);
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
    parameter_resolve(all, index);
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
        const size_t length = parameter_name_length(here);
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
    if (parameter_name_length(use->content) != use->length)
        return formula_value(all, node, use);
    const Parameter *parameter =
        use_parameter(all, use->content, use->length, place_inside(node, use->start));
    return parameter != NULL ? parameter->value : NULL;
}

const char *parameter_value_text(const Json *value)
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
        text_add(&text, value != NULL ? parameter_value_text(value) : "${");
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
        problems_add(all->problems, STATUS_BAD_INPUT, member->key_at,
                     "a key cannot contain a parameter");
}

Json *parameter_uses_replace(Parameters *all, Json *tree)
{
    if (tree->kind == JSON_STRING)
        return apply_to_string(all, tree);
    for (Json *child = tree->first, *next; child != NULL; child = next) {
        next = child->next; // the child is about to be replaced
        if (tree == all->root && strcmp(child->key, "parameters") == 0)
            continue;
        check_key(all, child);
        Json *value = parameter_uses_replace(all, child);
        if (value != child)
            json_replace(tree, child, value);
    }
    return tree;
}

Json *parameters_apply(Parameters *all, Json *tree)
{
    return all->count > 0 ? parameter_uses_replace(all, tree) : tree;
}
