#include "sim/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/json/json_index.h"
#include "sim/json/json_tree.h"
#include "sim/json/real.h"

const char *json_kind_name(JsonKind kind)
{
    static const char *const names[] = {"null",     "a boolean", "a number",
                                        "a string", "an array",  "an object"};
    return names[kind];
}

/* --- Growing --- */

void json_append_member(Arena *arena, Json *object, Json *child)
{
    json_index_add(arena, object, json_append(object, child));
}

bool json_set_number(Json *node)
{
    const double first_beyond_int64 = 9223372036854775808.0;
    bool has_only_digits = strpbrk(node->text, ".eE") == NULL;
    int64_t integer;
    node->number = real_read(node->text);
    if (!isfinite(node->number))
        return false;
    if (!json_scaled(node, 0, &integer))
        return !has_only_digits;
    // An integer that a double rounds is refused: a program that reads doubles would see another
    // number.
    if (node->number >= first_beyond_int64 || (int64_t)node->number != integer)
        return false;
    node->is_integer = true;
    node->integer = integer;
    return true;
}

/* --- Looking --- */

Json *json_member(const Json *object, const char *key)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    if (object->index != NULL) {
        Json **link = json_index_find(object, key);
        return link != NULL ? *link : NULL;
    }
    for (Json *member = object->first; member != NULL; member = member->next)
        if (json_same_key(member->key, key))
            return member;
    return NULL;
}

bool json_is_true(const Json *object, const char *key)
{
    const Json *value = json_member(object, key);
    return value != NULL && value->kind == JSON_BOOLEAN && value->boolean;
}

Json *json_item(const Json *array, int32_t index)
{
    if (array == NULL || array->kind != JSON_ARRAY || index < 0 || index >= array->count)
        return NULL;
    Json *item = array->first;
    for (int32_t i = 0; i < index; i++)
        item = item->next;
    return item;
}

/* The digits of a number as written: mantissa * 10^exponent. False when the mantissa leaves int64.
 */
static bool decimal_parts(const char *text, int64_t *mantissa, int32_t *exponent)
{
    enum { EXPONENT_MAX = 10000 };
    bool is_negative = *text == '-';
    bool is_fraction = false;
    int32_t zeros = 0; // met, but not yet multiplied in: trailing ones belong to the exponent
    *mantissa = 0;
    *exponent = 0;
    for (text += is_negative; *text != '\0' && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            is_fraction = true;
            continue;
        }
        *exponent -= is_fraction;
        zeros++;
        for (; *text != '0' && zeros > 0; zeros--)
            if (__builtin_mul_overflow(*mantissa, 10, mantissa))
                return false;
        if (*text != '0' && __builtin_add_overflow(*mantissa, *text - '0', mantissa))
            return false;
    }
    *exponent += zeros;
    if (is_negative)
        *mantissa = -*mantissa;
    if (*text != '\0') {
        long written = strtol(text + 1, NULL, 10);
        if (written > EXPONENT_MAX || written < -EXPONENT_MAX)
            return *mantissa == 0;
        *exponent += (int32_t)written;
    }
    return true;
}

bool json_scaled(const Json *node, int32_t decimals, int64_t *value)
{
    int64_t scaled;
    int32_t exponent;
    if (node == NULL || node->kind != JSON_NUMBER || !decimal_parts(node->text, &scaled, &exponent))
        return false;
    for (exponent += decimals; scaled != 0 && exponent > 0; exponent--)
        if (__builtin_mul_overflow(scaled, 10, &scaled))
            return false;
    for (; scaled != 0 && exponent < 0; exponent++) {
        if (scaled % 10 != 0)
            return false;
        scaled /= 10;
    }
    *value = scaled;
    return true;
}

/* --- Building --- */

Json *json_null(Arena *arena)
{
    return json_node(arena, JSON_NULL);
}

Json *json_boolean(Arena *arena, bool value)
{
    Json *node = json_node(arena, JSON_BOOLEAN);
    node->boolean = value;
    return node;
}

Json *json_integer(Arena *arena, int64_t value)
{
    Json *node = json_node(arena, JSON_NUMBER);
    node->text = arena_printf(arena, "%" PRId64, value);
    node->number = (double)value;
    node->is_integer = true;
    node->integer = value;
    return node;
}

Json *json_decimal(Arena *arena, const char *digits)
{
    Json *node = json_node(arena, JSON_NUMBER);
    node->text = arena_strdup(arena, digits);
    bool is_held = json_set_number(node);
    invariant(is_held);
    return node;
}

Json *json_real(Arena *arena, double value)
{
    if (!isfinite(value))
        return json_null(arena);
    Text digits = {0};
    real_print(value, &digits);
    Json *node = json_decimal(arena, text_string(&digits));
    text_free(&digits);
    return node;
}

Json *json_string(Arena *arena, const char *value)
{
    Json *node = json_node(arena, JSON_STRING);
    node->text = arena_strdup(arena, value);
    return node;
}

Json *json_array(Arena *arena)
{
    return json_node(arena, JSON_ARRAY);
}

Json *json_object(Arena *arena)
{
    return json_node(arena, JSON_OBJECT);
}

/* Where the tree points to `child` of `parent`. */
static Json **link_of(Json *parent, const Json *child)
{
    if (parent->index != NULL)
        return json_index_find(parent, child->key);
    Json **link = &parent->first;
    while (*link != child)
        link = &(*link)->next;
    return link;
}

void json_replace(Json *parent, Json *old, Json *value)
{
    Json **link = link_of(parent, old);
    value->key = old->key;
    value->key_at = old->key_at;
    value->next = old->next;
    *link = value;
    if (parent->last == old)
        parent->last = value;
    if (parent->index != NULL && value->next != NULL)
        json_index_move(parent, value->next->key, &value->next);
}

Json *json_set(Arena *arena, Json *object, const char *key, Json *value)
{
    invariant(object->kind == JSON_OBJECT);
    Json *old = json_member(object, key);
    if (old != NULL) {
        json_replace(object, old, value);
    } else {
        value->key = arena_strdup(arena, key);
        json_append_member(arena, object, value);
    }
    return value;
}

void json_put(Arena *arena, Json *object, const char *key, Json *value)
{
    if (value != NULL)
        json_set(arena, object, key, value);
}

void json_put_text(Arena *arena, Json *object, const char *key, const char *value)
{
    json_set(arena, object, key, value != NULL ? json_string(arena, value) : json_null(arena));
}

void json_put_integer(Arena *arena, Json *object, const char *key, int64_t value)
{
    json_set(arena, object, key, json_integer(arena, value));
}

void json_put_real(Arena *arena, Json *object, const char *key, double value)
{
    json_set(arena, object, key, json_real(arena, value));
}

void json_put_decimal(Arena *arena, Json *object, const char *key, const char *digits)
{
    json_set(arena, object, key, json_decimal(arena, digits));
}

void json_put_boolean(Arena *arena, Json *object, const char *key, bool value)
{
    json_set(arena, object, key, json_boolean(arena, value));
}

void json_put_null(Arena *arena, Json *object, const char *key)
{
    json_set(arena, object, key, json_null(arena));
}

Json *json_put_array(Arena *arena, Json *object, const char *key)
{
    return json_set(arena, object, key, json_array(arena));
}

Json *json_put_object(Arena *arena, Json *object, const char *key)
{
    return json_set(arena, object, key, json_object(arena));
}

Json *json_add(Json *array, Json *value)
{
    invariant(array->kind == JSON_ARRAY);
    json_append(array, value);
    return value;
}

/* Without key, siblings and children. */
static Json *copy_alone(Arena *arena, const Json *value)
{
    Json *copy = ARENA_NEW(arena, Json);
    *copy = *value;
    copy->key = NULL;
    copy->next = copy->first = copy->last = NULL;
    copy->index = NULL;
    copy->count = 0;
    if (value->text != NULL)
        copy->text = arena_strdup(arena, value->text);
    return copy;
}

Json *json_copy_empty(Arena *arena, const Json *value)
{
    invariant(value->kind == JSON_ARRAY || value->kind == JSON_OBJECT);
    return copy_alone(arena, value);
}

static Json *copy_below(Arena *arena, const Json *value, const char *parent, JsonKeeps *keeps)
{
    Json *copy = copy_alone(arena, value);
    for (const Json *child = value->first; child != NULL; child = child->next) {
        bool is_member = value->kind == JSON_OBJECT;
        if (is_member && keeps != NULL && !keeps(parent, child->key))
            continue;
        Json *added = copy_below(arena, child, is_member ? child->key : parent, keeps);
        if (is_member) {
            added->key = arena_strdup(arena, child->key);
            json_append_member(arena, copy, added);
        } else {
            json_append(copy, added);
        }
    }
    return copy;
}

Json *json_copy(Arena *arena, const Json *value, JsonKeeps *keeps)
{
    return copy_below(arena, value, NULL, keeps);
}
