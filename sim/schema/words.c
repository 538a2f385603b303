#include "sim/schema/words.h"

#include <string.h>

static size_t word_length(const char *text, const char *signs)
{
    if (strchr(signs, *text) != NULL)
        return strspn(text, signs);
    size_t length = 0;
    while (text[length] != '\0' && text[length] != ' ' && strchr(signs, text[length]) == NULL)
        length++;
    return length;
}

Words words_cut(Arena *arena, const char *text, const char *signs)
{
    Words words = {0};
    for (;;) {
        text += strspn(text, " ");
        if (*text == '\0')
            return words;
        if (words.count == WORDS_MAX) {
            words.count = WORDS_MAX + 1;
            return words;
        }
        size_t length = word_length(text, signs);
        words.items[words.count++] = arena_strndup(arena, text, length);
        text += length;
    }
}

bool words_are(const Words *words, int32_t index, const char *word)
{
    return index < words->count && index < WORDS_MAX && strcmp(words->items[index], word) == 0;
}
