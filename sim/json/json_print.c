/* Private to sim/json: trees as text (sim/json/json.h). */
#include "sim/json/json.h"

#include <string.h>

enum { INDENT = 2 };

void json_print_string(Text *text, const char *string)
{
    static const char escaped[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    text_append(text, "\"", 1);
    for (;;) {
        size_t plain = 0;
        while ((unsigned char)string[plain] >= ' ' && string[plain] != '"' && string[plain] != '\\')
            plain++;
        text_append(text, string, plain);
        string += plain;
        if (*string == '\0')
            break;
        const char *escape = strchr(escaped, *string);
        if (escape != NULL)
            text_printf(text, "\\%c", letters[escape - escaped]);
        else
            text_printf(text, "\\u%04x", (unsigned)(unsigned char)*string);
        string++;
    }
    text_append(text, "\"", 1);
}

static void new_line(Text *text, int32_t depth, JsonLayout layout)
{
    if (layout == JSON_INDENTED)
        text_printf(text, "\n%*s", (int)(depth * INDENT), "");
}

static void print_value(Text *text, const Json *node, int32_t depth, JsonLayout layout);

static void print_children(Text *text, const Json *node, int32_t depth, JsonLayout layout)
{
    const char *brackets = node->kind == JSON_OBJECT ? "{}" : "[]";
    text_append(text, brackets, 1);
    for (const Json *child = node->first; child != NULL; child = child->next) {
        if (child != node->first)
            text_add(text, ",");
        new_line(text, depth + 1, layout);
        if (node->kind == JSON_OBJECT) {
            json_print_string(text, child->key);
            text_add(text, layout == JSON_INDENTED ? ": " : ":");
        }
        print_value(text, child, depth + 1, layout);
    }
    if (node->count > 0)
        new_line(text, depth, layout);
    text_append(text, brackets + 1, 1);
}

static void print_value(Text *text, const Json *node, int32_t depth, JsonLayout layout)
{
    switch (node->kind) {
    case JSON_NULL:
        text_add(text, "null");
        break;
    case JSON_BOOLEAN:
        text_add(text, node->boolean ? "true" : "false");
        break;
    case JSON_NUMBER:
        text_add(text, node->text);
        break;
    case JSON_STRING:
        json_print_string(text, node->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        print_children(text, node, depth, layout);
        break;
    }
}

void json_print_at(Text *text, const Json *value, int32_t depth)
{
    print_value(text, value, depth, JSON_INDENTED);
}

void json_print(Text *text, const Json *root, JsonLayout layout)
{
    print_value(text, root, 0, layout);
    if (layout == JSON_INDENTED)
        text_add(text, "\n");
}

const char *json_text(Arena *arena, const Json *value)
{
    Text text = {0};
    json_print(&text, value, JSON_COMPACT);
    return text_move(arena, &text);
}

const char *json_bare_text(Arena *arena, const Json *value)
{
    return value->kind == JSON_STRING ? value->text : json_text(arena, value);
}

bool json_is_same(const Json *a, const Json *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    Text left = {0}, right = {0};
    json_print(&left, a, JSON_COMPACT);
    json_print(&right, b, JSON_COMPACT);
    const bool is_same = strcmp(text_string(&left), text_string(&right)) == 0;
    text_free(&left);
    text_free(&right);
    return is_same;
}
