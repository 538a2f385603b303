#include "sim/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"

enum { CAPACITY_MIN = 64 };

/* Makes room for `length` more bytes and the NUL. */
static void text_reserve(Text *text, size_t length)
{
    if (length > SIZE_MAX / 4 - text->length)
        memory_exhausted();
    size_t needed = text->length + length + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : CAPACITY_MIN;
    while (capacity < needed)
        capacity *= 2;
    text->data = memory_resized(text->data, capacity);
    text->capacity = capacity;
}

void text_append(Text *text, const char *bytes, size_t length)
{
    text_reserve(text, length);
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(Text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_printf(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    // Most additions fit into the free space and need one pass. For the others the first pass gives
    // the length.
    text_reserve(text, CAPACITY_MIN - 1);
    size_t room = text->capacity - text->length;
    int length = vsnprintf(text->data + text->length, room, format, arguments);
    va_end(arguments);
    invariant(length >= 0);
    if ((size_t)length >= room) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    text->length += (size_t)length;
}

void text_clear(Text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

void text_free(Text *text)
{
    free(text->data);
    *text = (Text){0};
}

bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

const char *text_until(Arena *arena, const char **at, char end)
{
    const size_t length = strcspn(*at, (char[]){end, '\0'});
    const char *taken = arena_strndup(arena, *at, length);
    *at += length + ((*at)[length] != '\0');
    return taken;
}

bool text_skip(const char **at, const char *start)
{
    const bool is_there = begins_with(*at, start);
    *at += is_there ? strlen(start) : 0;
    return is_there;
}

const char *text_string(const Text *text)
{
    return text->data ? text->data : "";
}

char *text_move(Arena *arena, Text *text)
{
    char *moved = arena_strndup(arena, text_string(text), text->length);
    text_free(text);
    return moved;
}
