#include "sim/base/utf8.h"

size_t utf8_sequence(const char *text, size_t left)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {
        {0x01, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (bytes[0] < forms[i].first_low || bytes[0] > forms[i].first_high)
            continue;
        if (forms[i].length > left)
            return 0;
        if (forms[i].length > 1 &&
            (bytes[1] < forms[i].second_low || bytes[1] > forms[i].second_high))
            return 0;
        for (size_t j = 2; j < forms[i].length; j++)
            if (bytes[j] < 0x80 || bytes[j] > 0xbf)
                return 0;
        return forms[i].length;
    }
    return 0;
}

bool utf8_is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte < ' ' || byte == 0x7f)
            return false;
        const size_t step = byte < 0x80 ? 1 : utf8_sequence(text + i, length - i);
        if (step == 0)
            return false;
        i += step;
    }
    return true;
}
