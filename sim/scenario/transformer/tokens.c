#include "sim/scenario/transformer/tokens.h"

#include <string.h>

#include "sim/model/bounded.h"
#include "sim/schema/value.h"

bool tokens_parse(const char *text, Place at, int64_t *tokens, Status *status)
{
    static const struct {
        char letter;
        int64_t factor;
    } units[] = {{'T', 1000000000000}, {'B', 1000000000}, {'M', 1000000}, {'K', 1000}};
    enum { DECIMALS = 6, MICRO = 1000000 };
    const size_t length = strlen(text);
    int64_t factor = 1;
    for (size_t i = 0; length > 0 && i < sizeof units / sizeof units[0]; i++)
        if (text[length - 1] == units[i].letter)
            factor = units[i].factor;
    char number[64] = "";
    const size_t digits = length - (factor > 1 ? 1 : 0);
    if (digits < sizeof number)
        memcpy(number, text, digits);
    int64_t micro = 0;
    if (!decimal_parse(number, DECIMALS, "a number of tokens such as \"1T\" or \"300B\"", at,
                       &micro, status))
        return false;
    *tokens = bounded_part(micro, factor, MICRO);
    return *tokens > 0 ||
           status_fail(status, STATUS_BAD_INPUT, at, "there must be more than 0 tokens");
}
