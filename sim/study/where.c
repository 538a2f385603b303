#include "sim/study/where.h"

#include <string.h>

#include "sim/base/wide.h"
#include "sim/schema/expression.h"

typedef struct {
    const char *left, *right;
    Place left_at, right_at;
    const bool *holds; /* of a left side that is less, equal or more */
} Comparison;

struct Where {
    int32_t factor_count;
    const Factor *const *factors;
    int32_t count;
    Comparison *comparisons;
    ExpressionVariable *variables; /* [factor_count]: memory for one evaluation at a time */
};

/* Whether a sign holds for a left side that is less than, equal to, or more than the right side.
 * Longer signs first: "<=" begins with "<". */
static const struct {
    const char *sign;
    bool holds[3];
} signs[] = {{"<=", {true, true, false}}, {">=", {false, true, true}}, {"==", {false, true, false}},
             {"!=", {true, false, true}}, {"<", {true, false, false}}, {">", {false, false, true}}};

static bool split(Arena *arena, const Json *node, Comparison *out)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const char *sign = strstr(node->text, signs[i].sign);
        if (sign == NULL)
            continue;
        const size_t length = strlen(signs[i].sign);
        const int32_t quote = 1;
        *out = (Comparison){.left = arena_strndup(arena, node->text, (size_t)(sign - node->text)),
                            .right = arena_strdup(arena, sign + length),
                            .holds = signs[i].holds};
        out->left_at = node->at;
        out->left_at.column += quote;
        out->right_at = out->left_at;
        out->right_at.column += (int32_t)(sign - node->text + (ptrdiff_t)length);
        return true;
    }
    return false;
}

/* Variables for the factors whose level at this point is a number. */
static int32_t variables_at(const Where *where, const int32_t *levels)
{
    int32_t count = 0;
    for (int32_t f = 0; f < where->factor_count; f++) {
        const Level *level = &where->factors[f]->levels[levels[f]];
        if (level->divisor > 0)
            where->variables[count++] =
                (ExpressionVariable){where->factors[f]->name, level->number, level->divisor};
    }
    return count;
}

/* 0, 1 or 2: less, equal, more. */
static int compare(Fraction left, Fraction right)
{
    const Wide a = (Wide)left.numerator * right.denominator;
    const Wide b = (Wide)right.numerator * left.denominator;
    return 1 + (a > b) - (a < b);
}

static bool comparison_holds(const Where *where, const Comparison *comparison,
                             int32_t variable_count, bool *holds, Status *status)
{
    Fraction left, right;
    if (!expression_evaluate(comparison->left, where->variables, variable_count,
                             comparison->left_at, &left, status) ||
        !expression_evaluate(comparison->right, where->variables, variable_count,
                             comparison->right_at, &right, status))
        return false;
    *holds = comparison->holds[compare(left, right)];
    return true;
}

bool where_keeps(const Where *where, const int32_t *levels, bool *is_kept, Status *status)
{
    *is_kept = true;
    const int32_t variable_count = where->count > 0 ? variables_at(where, levels) : 0;
    for (int32_t i = 0; i < where->count; i++) {
        bool holds;
        if (!comparison_holds(where, &where->comparisons[i], variable_count, &holds, status))
            return false;
        *is_kept &= holds;
    }
    return true;
}

static bool read_condition(Arena *arena, Where *where, const Json *node, Problems *problems)
{
    if (node->kind == JSON_STRING && split(arena, node, &where->comparisons[where->count])) {
        where->count++;
        return true;
    }
    status_hint(problems_add(problems, STATUS_BAD_INPUT, node->at,
                             "\"where\" is not a comparison of two formulas"),
                "as in \"nodes * gpus <= 64\"");
    return false;
}

const Where *where_read(Arena *arena, const Json *node, int32_t factor_count,
                        const Factor *const *factors, Problems *problems)
{
    Where *where = ARENA_NEW(arena, Where);
    const bool is_list = node != NULL && node->kind == JSON_ARRAY;
    *where = (Where){.factor_count = factor_count,
                     .factors = factors,
                     .variables = ARENA_ARRAY(arena, ExpressionVariable, factor_count),
                     .comparisons = ARENA_ARRAY(arena, Comparison, is_list ? node->count : 1)};
    if (node == NULL)
        return where;
    if (!is_list)
        return read_condition(arena, where, node, problems) ? where : NULL;
    bool is_sound = true;
    for (const Json *item = node->first; item != NULL; item = item->next)
        is_sound &= read_condition(arena, where, item, problems);
    return is_sound ? where : NULL;
}
