#include "sim/schema/plain.h"

#include <math.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/json/decimal.h"
#include "sim/schema/bind.h"

/* --- Members --- */

static const void *member_of(const Field *field, const void *item)
{
    return (const char *)item + field->offset;
}

static const char *text_of(const Field *field, const void *item)
{
    return *(const char *const *)member_of(field, item);
}

static int64_t integer_of(const Field *field, const void *item)
{
    const void *member = member_of(field, item);
    return field->size == sizeof(bool)      ? *(const bool *)member
           : field->size == sizeof(int32_t) ? *(const int32_t *)member
                                            : *(const int64_t *)member;
}

static Wide decimal_of(const Field *field, const void *item)
{
    const void *member = member_of(field, item);
    return field->size == sizeof(Wide) ? *(const Wide *)member : *(const int64_t *)member;
}

static bool is_hidden(const Field *field, const void *item)
{
    return field->shown_if != 0 && !*((const bool *)item + field->shown_if);
}

static uint32_t *count_of(const Field *field, void *item)
{
    return (uint32_t *)(void *)((char *)item + field->count);
}

static uint32_t count_in(const Field *field, const void *item)
{
    return *(const uint32_t *)(const void *)((const char *)item + field->count);
}

/* Item `index` of a list of structs. */
static const void *list_item(const Field *field, const void *item, uint32_t index)
{
    const char *items = *(const char *const *)member_of(field, item);
    return items + index * field->type->size;
}

/* Passed to all readers. */
typedef struct {
    Arena *arena;
    Problems *problems;
} Reader;

/* `node` NULL: the value is missing or null. */
typedef struct {
    bool (*is_unknown)(const Field *field, const void *item); /* NULL: it never is */
    Json *(*write)(Arena *arena, const Field *field, const void *item);
    void (*read)(const Reader *reader, const Field *field, const Json *node, void *item);
} PlainKind;

static const PlainKind *plain_kind(const Field *field);

static bool is_unknown(const Field *field, const void *item)
{
    const PlainKind *kind = plain_kind(field);
    return kind->is_unknown != NULL && kind->is_unknown(field, item);
}

static const char *shown_name(const Field *field, const Json *node)
{
    return node->key != NULL ? node->key : field->name;
}

static void add_mismatch(const Reader *reader, const Field *field, const Json *node)
{
    problems_add(reader->problems, STATUS_BAD_INPUT, node->at, "\"%s\" is %s, expected %s",
                 shown_name(field, node), json_kind_name(node->kind), value_expected(field->kind));
}

/* False when the value is missing, or, with a problem, when it is of another kind. */
static bool is_of(const Reader *reader, const Field *field, const Json *node, JsonKind kind)
{
    if (node != NULL && node->kind != kind)
        add_mismatch(reader, field, node);
    return node != NULL && node->kind == kind;
}

/* --- Texts --- */

static bool text_is_unknown(const Field *field, const void *item)
{
    return text_of(field, item) == NULL;
}

static Json *text_write(Arena *arena, const Field *field, const void *item)
{
    return json_string(arena, text_of(field, item));
}

static void text_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    const char *text = is_of(reader, field, node, JSON_STRING) ? node->text : NULL;
    memcpy((char *)item + field->offset, &text, sizeof text);
}

/* --- Numbers, words, true and false --- */

static Json *integer_write(Arena *arena, const Field *field, const void *item)
{
    return json_integer(arena, integer_of(field, item));
}

static Json *boolean_write(Arena *arena, const Field *field, const void *item)
{
    return json_boolean(arena, integer_of(field, item) != 0);
}

static Json *choice_write(Arena *arena, const Field *field, const void *item)
{
    return json_string(arena, field->choices[integer_of(field, item)]);
}

static void integer_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    if (node != NULL && !node->is_integer)
        add_mismatch(reader, field, node);
    field_store_integer(field, item, node != NULL && node->is_integer ? node->integer : 0);
}

static void boolean_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    field_store_integer(field, item, is_of(reader, field, node, JSON_BOOLEAN) && node->boolean);
}

static void choice_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    int32_t word = 0;
    if (is_of(reader, field, node, JSON_STRING)) {
        word = word_list_find(field->choices, node->text);
        if (word < 0)
            bind_unknown_name(reader->problems, node->at, field->name, node->text, field->choices,
                              word_list_count(field->choices));
    }
    field_store_integer(field, item, word);
}

static bool decimal_is_unknown(const Field *field, const void *item)
{
    return decimal_of(field, item) == PLAIN_UNKNOWN;
}

static Json *decimal_write(Arena *arena, const Field *field, const void *item)
{
    return decimal_json(arena, decimal_of(field, item), field->decimals);
}

static void add_bad_decimal(const Reader *reader, const Field *field, const Json *node)
{
    if (field->decimals == 0)
        problems_add(reader->problems, STATUS_BAD_INPUT, node->at,
                     "\"%s\" is not an integer from 0", shown_name(field, node));
    else
        problems_add(reader->problems, STATUS_BAD_INPUT, node->at,
                     "\"%s\" is not a number from 0 with at most %d decimals",
                     shown_name(field, node), field->decimals);
}

/* The value of a key that the file does not have: a count that `shown_if` leaves out is 0. */
static Wide decimal_without_key(const Field *field)
{
    const bool is_count = field->unit == NULL && field->decimals == 0;
    return is_count && field->shown_if != 0 ? 0 : PLAIN_UNKNOWN;
}

static void decimal_read_member(const Reader *reader, const Field *field, const Json *node,
                                void *item)
{
    void *member = (char *)item + field->offset;
    Wide value = decimal_without_key(field);
    if (node != NULL && (!decimal_read(node, field->decimals, &value) || value < 0 ||
                         (field->size != sizeof(Wide) && value > INT64_MAX)))
        add_bad_decimal(reader, field, node);
    if (field->size == sizeof(Wide))
        *(Wide *)member = value;
    else
        *(int64_t *)member = wide_capped(value);
}

static double real_of(const Field *field, const void *item)
{
    return *(const double *)member_of(field, item);
}

static bool real_is_unknown(const Field *field, const void *item)
{
    return !isfinite(real_of(field, item));
}

static Json *real_write(Arena *arena, const Field *field, const void *item)
{
    const double value = real_of(field, item);
    double units = value;
    for (int32_t i = 0; i < field->decimals; i++)
        units *= 10;
    return field->decimals > 0 && fabs(units) < (double)INT64_MAX
               ? decimal_json(arena, llround(units), field->decimals)
               : json_real(arena, value);
}

static void real_read_member(const Reader *reader, const Field *field, const Json *node, void *item)
{
    const double value = is_of(reader, field, node, JSON_NUMBER) ? node->number : (double)NAN;
    memcpy((char *)item + field->offset, &value, sizeof value);
}

/* --- Values of any kind --- */

static const Json *json_of(const Field *field, const void *item)
{
    return *(const Json *const *)member_of(field, item);
}

static bool json_is_unknown(const Field *field, const void *item)
{
    return json_of(field, item) == NULL;
}

static Json *json_write(Arena *arena, const Field *field, const void *item)
{
    return json_copy(arena, json_of(field, item), NULL);
}

static void json_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    (void)reader;
    memcpy((char *)item + field->offset, &node, sizeof node);
}

/* --- Objects --- */

static void item_read(const Reader *reader, const ObjectType *type, const Json *root, void *item)
{
    for (const Field *field = type->fields; field->name != NULL; field++) {
        const Json *node = json_member(root, field->name);
        if (field->kind == VALUE_KEY || field->is_derived)
            continue;
        if (field->shown_if != 0)
            *((bool *)item + field->shown_if) = node != NULL;
        if (node == NULL && field->is_required && root != NULL)
            problems_add(reader->problems, STATUS_BAD_INPUT, json_at(root), "\"%s\" is missing",
                         field->name);
        plain_kind(field)->read(reader, field,
                                node != NULL && node->kind != JSON_NULL ? node : NULL, item);
    }
}

static bool object_is_unknown(const Field *field, const void *item)
{
    for (const Field *inner = field->type->fields; inner->name != NULL; inner++)
        if (inner->kind != VALUE_KEY && !is_unknown(inner, member_of(field, item)))
            return false;
    return true;
}

static Json *object_write(Arena *arena, const Field *field, const void *item)
{
    return plain_write(arena, field->type, member_of(field, item));
}

static void object_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    item_read(reader, field->type, is_of(reader, field, node, JSON_OBJECT) ? node : NULL,
              (char *)item + field->offset);
}

/* --- Lists --- */

static bool list_is_unknown(const Field *field, const void *item)
{
    return field->is_left_out_empty && count_in(field, item) == 0;
}

/* Makes the array for the items of `node`; NULL, and no items, when `node` is not of `kind`. */
static char *list_start(const Reader *reader, const Field *field, const Json *node, JsonKind kind,
                        size_t size, void *item)
{
    char *items = NULL;
    *count_of(field, item) = 0;
    if (is_of(reader, field, node, kind)) {
        items = arena_alloc_array(reader->arena, (size_t)node->count, size);
        *count_of(field, item) = (uint32_t)node->count;
    }
    memcpy((char *)item + field->offset, &items, sizeof items);
    return items;
}

static Json *texts_write(Arena *arena, const Field *field, const void *item)
{
    const char *const *texts = *(const char *const *const *)member_of(field, item);
    Json *list = json_array(arena);
    for (uint32_t i = 0; i < count_in(field, item); i++)
        json_add(list, json_string(arena, texts[i]));
    return list;
}

static void texts_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    const Field text = {.name = field->name, .kind = VALUE_TEXT};
    char *place = list_start(reader, field, node, JSON_ARRAY, sizeof(const char *), item);
    for (const Json *child = place ? node->first : NULL; child != NULL; child = child->next) {
        text_read(reader, &text, child, place);
        place += sizeof(const char *);
    }
}

static Json *objects_write(Arena *arena, const Field *field, const void *item)
{
    Json *list = json_array(arena);
    for (uint32_t i = 0; i < count_in(field, item); i++)
        json_add(list, plain_write(arena, field->type, list_item(field, item, i)));
    return list;
}

static void objects_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    const Field object = {.name = field->name, .kind = VALUE_OBJECT, .type = field->type};
    char *place = list_start(reader, field, node, JSON_ARRAY, field->type->size, item);
    for (const Json *child = place ? node->first : NULL; child != NULL; child = child->next) {
        object_read(reader, &object, child, place);
        place += field->type->size;
    }
}

/* --- Items by name --- */

static const Field *key_field(const ObjectType *type)
{
    invariant(type->fields[0].kind == VALUE_KEY);
    return &type->fields[0];
}

/* The row of an item in the file: the one value of NAMED_VALUES, or the object of NAMED. */
static Field named_field(const Field *field)
{
    return field->kind == VALUE_NAMED_VALUES
               ? field->type->fields[1]
               : (Field){.name = field->name, .kind = VALUE_OBJECT, .type = field->type};
}

static Json *named_write(Arena *arena, const Field *field, const void *item)
{
    const Field value = named_field(field);
    Json *object = json_object(arena);
    for (uint32_t i = 0; i < count_in(field, item); i++) {
        const void *named = list_item(field, item, i);
        json_set(arena, object, text_of(key_field(field->type), named),
                 plain_kind(&value)->write(arena, &value, named));
    }
    return object;
}

static void named_read(const Reader *reader, const Field *field, const Json *node, void *item)
{
    const Field value = named_field(field);
    char *place = list_start(reader, field, node, JSON_OBJECT, field->type->size, item);
    for (const Json *child = place ? node->first : NULL; child != NULL; child = child->next) {
        memcpy(place + key_field(field->type)->offset, &child->key, sizeof child->key);
        plain_kind(&value)->read(reader, &value, child, place);
        place += field->type->size;
    }
}

/* --- All kinds --- */

static const PlainKind plain_kinds[] = {
    [VALUE_TEXT] = {text_is_unknown, text_write, text_read},
    [VALUE_INTEGER] = {NULL, integer_write, integer_read},
    [VALUE_BOOLEAN] = {NULL, boolean_write, boolean_read},
    [VALUE_CHOICE] = {NULL, choice_write, choice_read},
    [VALUE_DECIMAL] = {decimal_is_unknown, decimal_write, decimal_read_member},
    [VALUE_REAL] = {real_is_unknown, real_write, real_read_member},
    [VALUE_JSON] = {json_is_unknown, json_write, json_read},
    [VALUE_OBJECT] = {object_is_unknown, object_write, object_read},
    [VALUE_TEXTS] = {list_is_unknown, texts_write, texts_read},
    [VALUE_OBJECTS] = {list_is_unknown, objects_write, objects_read},
    [VALUE_NAMED] = {list_is_unknown, named_write, named_read},
    [VALUE_NAMED_VALUES] = {list_is_unknown, named_write, named_read},
    [VALUE_FOLDER] = {NULL, NULL, NULL}, // the last kind
};

static const PlainKind *plain_kind(const Field *field)
{
    const PlainKind *kind = &plain_kinds[field->kind];
    invariant(kind->write != NULL);
    return kind;
}

Json *plain_write(Arena *arena, const ObjectType *type, const void *item)
{
    Json *root = json_object(arena);
    for (const Field *field = type->fields; field->name != NULL; field++) {
        if (field->kind == VALUE_KEY || is_hidden(field, item))
            continue;
        if (!is_unknown(field, item))
            json_set(arena, root, field->name, plain_kind(field)->write(arena, field, item));
        else if (field->is_nullable)
            json_put_null(arena, root, field->name);
    }
    return root;
}

void plain_read(Arena *arena, const ObjectType *type, const Json *root, void *item,
                Problems *problems)
{
    const Reader reader = {arena, problems};
    memset(item, 0, type->size);
    item_read(&reader, type, root, item);
}
