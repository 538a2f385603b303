/* Parts of a text that is being read, each with its place: lines, and cells of tables. Nothing
 * is copied; a piece borrows its text and is not ended by NUL. */
#ifndef SIM_BASE_PIECE_H
#define SIM_BASE_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/status.h"

/* `text` NULL: there is no piece (an empty piece is not NULL). */
typedef struct {
    const char *text;
    size_t length;
    Place at;
} Piece;

Piece piece_of(const char *source, const char *text, size_t length);

/* The piece without its first `skip` bytes. */
static inline Piece piece_rest(Piece piece, size_t skip)
{
    return (Piece){piece.text + skip, piece.length - skip,
                   place_in(piece.at.source, piece.at.line, piece.at.column + (int32_t)skip)};
}

/* Cuts the part before `separator` off `rest`. Without a separator the part is all of `rest`,
 * and `rest` becomes NULL. False when `rest` is already NULL. */
static inline bool piece_cut(Piece *rest, char separator, Piece *part)
{
    if (rest->text == NULL)
        return false;
    const char *end = rest->length > 0 ? memchr(rest->text, separator, rest->length) : NULL;
    const size_t length = end != NULL ? (size_t)(end - rest->text) : rest->length;
    *part = (Piece){rest->text, length, rest->at};
    *rest = end != NULL ? piece_rest(*rest, length + 1) : (Piece){0};
    return true;
}
/* Cuts a line off `rest`, which then begins at the next line; false when nothing is left.
 * `*is_whole` is false when the text ends without the line's LF. */
bool piece_cut_line(Piece *rest, Piece *line, bool *is_whole);

/* The same where a line is required: STATUS_BAD_INPUT when nothing is left and `expected` should
 * follow, or when the text ends inside the line. */
MUST_CHECK bool piece_take_line(Piece *rest, const char *expected, Piece *line, Status *status);
/* The number of line ends in the piece. */
int64_t piece_line_count(Piece piece);

static inline bool piece_is(Piece piece, const char *text)
{
    if (piece.length == 0 || piece.text[0] != text[0]) // usual case
        return piece.length == 0 && text[0] == '\0';
    return strlen(text) == piece.length && memcmp(piece.text, text, piece.length) == 0;
}

/* Takes `prefix` off the front; false when the piece does not begin with it. */
static inline bool piece_skip(Piece *piece, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (piece->length < length || memcmp(piece->text, prefix, length) != 0)
        return false;
    *piece = piece_rest(*piece, length);
    return true;
}

/* Reads a whole number of decimal digits. False when the piece has a sign or leading zeros, or when
 * the number is above `limit`. */
bool piece_digits(Piece piece, uint64_t limit, uint64_t *value);

/* Fills in STATUS_BAD_INPUT at the piece, "PIECE": expected EXPECTED. Returns false. */
bool piece_bad(Piece piece, const char *expected, Status *status);
/* Hints at the name among `names` that the piece most likely means, if any. Returns false. */
bool piece_hint_nearest(Piece piece, const char *const *names, int32_t count, Status *status);
/* How many bytes of the piece a message shows, for "%.*s". */
int piece_shown_length(Piece piece);

#endif
