#include "emu/http/azure_error.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"

static const AzureErrorRow rows[AZURE_ERROR_COUNT] = {
#define X(name, code, status, message) [AZURE_##name] = {code, status, message},
    AZURE_ERRORS(X)
#undef X
};

const AzureErrorRow *azure_error(AzureError error)
{
    invariant(error != AZURE_OK);
    return &rows[error];
}

const char *azure_error_message(Arena *arena, AzureError error, va_list values)
{
    Text text = {0};
    const char *rest = azure_error(error)->message;
    for (const char *place; (place = strstr(rest, "%s")); rest = place + 2) {
        text_append(&text, rest, (size_t)(place - rest));
        text_add(&text, va_arg(values, const char *));
    }
    text_add(&text, rest);
    const char *message = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return message;
}
