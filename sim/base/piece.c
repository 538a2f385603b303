#include "sim/base/piece.h"

#include <string.h>

#include "sim/base/ascii.h"

enum { SHOWN_MAX = 60 };

Piece piece_of(const char *source, const char *text, size_t length)
{
    return (Piece){text, length, place_in(source, 1, 1)};
}

bool piece_cut_line(Piece *rest, Piece *line, bool *is_whole)
{
    if (rest->length == 0)
        return false;
    const Place at = rest->at;
    piece_cut(rest, '\n', line);
    *is_whole = rest->text != NULL;
    rest->at = place_in(at.source, at.line + 1, 1);
    return true;
}

bool piece_take_line(Piece *rest, const char *expected, Piece *line, Status *status)
{
    bool is_whole;
    if (!piece_cut_line(rest, line, &is_whole))
        return status_fail(status, STATUS_BAD_INPUT, rest->at, "the file ends here, expected %s",
                           expected);
    return is_whole || piece_bad(*line, "a line end: the file is cut off here", status);
}

int64_t piece_line_count(Piece piece)
{
    int64_t count = 0;
    for (size_t i = 0; i < piece.length; i++)
        count += piece.text[i] == '\n';
    return count;
}

bool piece_digits(Piece piece, uint64_t limit, uint64_t *value)
{
    if (piece.length == 0 || (piece.text[0] == '0' && piece.length > 1))
        return false;
    enum { DIGITS_THAT_FIT = 19 };
    uint64_t sum = 0;
    for (size_t i = 0; i < piece.length; i++) {
        const uint32_t digit = (uint32_t)(piece.text[i] - '0');
        if (digit > 9)
            return false;
        if (i < DIGITS_THAT_FIT)
            sum = 10 * sum + digit;
        else if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    if (sum > limit)
        return false;
    *value = sum;
    return true;
}

bool piece_bad(Piece piece, const char *expected, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, piece.at, "\"%.*s\": expected %s",
                       piece_shown_length(piece), piece.text, expected);
}

bool piece_hint_nearest(Piece piece, const char *const *names, int32_t count, Status *status)
{
    char typed[SHOWN_MAX + 1] = "";
    memcpy(typed, piece.text, (size_t)piece_shown_length(piece));
    const char *nearest = nearest_name(typed, names, count);
    return nearest ? status_hint(status, "did you mean \"%s\"?", nearest) : false;
}

int piece_shown_length(Piece piece)
{
    return piece.length < SHOWN_MAX ? (int)piece.length : SHOWN_MAX;
}
