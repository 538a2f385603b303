#include "sim/schema/reference.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"

/* --- Cells --- */

/* A '|' would end the cell. */
static void add_cell(Text *out, const char *text)
{
    for (; *text != '\0'; text++)
        text_printf(out, "%s%c", *text == '|' ? "\\" : "", *text);
}

/* Adds the anchor that GitHub makes for `heading`: the second "data" in [data](#data). */
static void add_anchor(Text *out, const char *heading)
{
    for (; *heading != '\0'; heading++) {
        const char letter =
            *heading >= 'A' && *heading <= 'Z' ? (char)(*heading - 'A' + 'a') : *heading;
        text_printf(out, "%c", letter == ' ' ? '-' : letter);
    }
}

static void add_link(Text *out, const ObjectType *type)
{
    text_printf(out, "[%s](#", type->name);
    add_anchor(out, type->name);
    text_add(out, ")");
}

/* Adds the "type" of a handwritten schema in words: "text or object". */
static void add_schema_kind(Text *out, const char *schema)
{
    static const struct {
        const char *type, *title;
    } titles[] = {{"\"array\"", "list"},  {"\"integer\"", "integer"}, {"\"number\"", "number"},
                  {"\"string\"", "text"}, {"\"object\"", "object"},   {"\"boolean\"", "boolean"}};
    const char *type = schema != NULL ? strstr(schema, "\"type\": ") : NULL;
    if (type == NULL) {
        text_add(out, "value");
        return;
    }
    type += strlen("\"type\": ");
    const char *end = type + strcspn(type, *type == '[' ? "]" : ",}");
    const char *separator = "";
    while (type < end) {
        type += strcspn(type, "\"");
        for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
            if (type >= end || strncmp(type, titles[i].type, strlen(titles[i].type)) != 0)
                continue;
            text_printf(out, "%s%s", separator, titles[i].title);
            separator = " or ";
            type += strlen(titles[i].type) - 1;
            break;
        }
        type++;
    }
}

static void add_choices(Text *out, const Field *field)
{
    for (const char *const *word = field->choices; *word != NULL; word++)
        text_printf(out, "%s`%s`", word > field->choices ? ", " : "", *word);
}

static void add_type(Text *out, const Field *field)
{
    if (field->kind == VALUE_OBJECTS)
        text_add(out, "list of ");
    add_link(out, field->type);
    if (field->takes_texts)
        text_add(out, " or text");
    if (field->kind == VALUE_NAMED)
        text_add(out, " by name");
}

static void add_value_kind(Text *out, const Field *field)
{
    const ValueKind kind =
        field->kind == VALUE_DECIMAL && field->decimals == 0 ? VALUE_INTEGER : field->kind;
    text_add(out, kind == VALUE_CUSTOM ? field->custom->title : value_title(kind));
}

static void add_kind(Text *out, const Field *field)
{
    const ValueKind kind = field->kind;
    if (kind == VALUE_OBJECT || kind == VALUE_OBJECTS || kind == VALUE_NAMED) {
        add_type(out, field);
    } else if (kind == VALUE_NAMED_VALUES) {
        add_value_kind(out, &field->type->fields[1]);
        text_add(out, " by name");
    } else if (kind == VALUE_CHOICE) {
        add_choices(out, field);
    } else if (kind == VALUE_JSON) {
        add_schema_kind(out, field->schema);
    } else {
        add_value_kind(out, field);
    }
    if (field->is_nullable)
        text_add(out, " or null");
}

/* Larger limits only keep sums inside int64. */
#define LIMIT_SHOWN_MOST INT64_C(1000000000)

/* "50% to 200%". Least values of a part of a percent only keep 0 out. */
static void add_ratio_range(Text *out, int64_t minimum_ppm, int64_t maximum_ppm)
{
    enum { PERCENT_PPM = PPM / 100 };
    if (minimum_ppm > 0 && minimum_ppm < PERCENT_PPM)
        text_add(out, "above 0, to ");
    else
        text_printf(out, "%" PRId64 "%s to ", minimum_ppm / PERCENT_PPM,
                    minimum_ppm > 0 ? "%" : "");
    text_printf(out, "%" PRId64 "%%", maximum_ppm / PERCENT_PPM);
}

static void add_range(Text *out, const Field *field)
{
    const ValueKind kind = field->kind == VALUE_CUSTOM ? field->custom->element : field->kind;
    if (field->minimum == 0 && field->maximum == 0)
        return;
    if (kind == VALUE_INTEGER && field->maximum > LIMIT_SHOWN_MOST)
        text_printf(out, "%" PRId64 " or more", field->minimum);
    else if (kind == VALUE_INTEGER && field->minimum == field->maximum)
        text_printf(out, "%" PRId64, field->minimum);
    else if (kind == VALUE_INTEGER)
        text_printf(out, "%" PRId64 " to %" PRId64, field->minimum, field->maximum);
    else if (kind == VALUE_RATIO && field->maximum <= 1000 * PPM)
        add_ratio_range(out, field->minimum, field->maximum);
    else if (field->minimum > 0)
        text_add(out, "above 0");
}

static void add_row(Text *out, const Field *field)
{
    text_printf(out, "| `%s` | ", field->name);
    add_kind(out, field);
    text_add(out, " | ");
    if (field->is_required)
        text_add(out, "required");
    else if (field->fallback != NULL)
        text_printf(out, "`%s`", field->fallback);
    text_add(out, " | ");
    add_range(out, field);
    text_add(out, " | ");
    add_cell(out, field->doc);
    text_add(out, " |\n");
}

/* Writes the table of `type` alone. */
static void reference_table(const ObjectType *type, Text *out)
{
    text_add(out,
             "| member | kind | default | range | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (const Field *field = type->fields; field->name != NULL; field++)
        if (field->kind != VALUE_KEY)
            add_row(out, field);
}

/* --- Sections --- */

void reference_add(Reference *reference, const ObjectType *type, Text *out)
{
    for (int32_t i = 0; i < reference->count; i++)
        if (reference->types[i] == type)
            return;
    invariant(reference->count < REFERENCE_TYPES_MAX);
    reference->types[reference->count++] = type;
    text_printf(out, "\n### %s\n\n", type->name);
    add_cell(out, type->doc);
    text_add(out, "\n\n");
    reference_table(type, out);
    for (const ReferenceExample *example = reference->examples;
         example != NULL && example->type != NULL; example++)
        if (example->type == type)
            text_printf(out, "\n```json\n%s\n```\n", example->json);
    for (const Field *field = type->fields; field->name != NULL; field++)
        if (field->type != NULL && field->kind != VALUE_NAMED_VALUES)
            reference_add(reference, field->type, out);
}

void reference_value_kinds(Text *out)
{
    static const ValueKind quantities[] = {VALUE_DURATION, VALUE_BYTES,    VALUE_RATE,
                                           VALUE_FLOPS,    VALUE_RATIO,    VALUE_MONEY,
                                           VALUE_POWER,    VALUE_ISO_TIME, VALUE_ISO_DURATION};
    text_add(out, "| kind | written as |\n| --- | --- |\n");
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
        text_printf(out, "| %s | %s |\n", value_title(quantities[i]),
                    value_expected(quantities[i]));
}
