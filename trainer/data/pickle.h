/* The part of Python's pickles that CIFAR-10's files are made of: dicts, lists, tuples, whole
 * numbers, strings, and numpy arrays of bytes.
 *
 * A pickle is a program for a small stack machine. This one accepts the opcodes of protocols 2 to 5
 * that build such values, and the few callables from which numpy rebuilds an array. A call is
 * replaced by a check of its arguments: nothing is looked up, imported or run. Every other opcode
 * and every other callable is refused by name. Source: CPython, Lib/pickletools.py; numpy,
 * ndarray.__reduce__ and dtype.__reduce__.
 *
 * Safe for hostile input: the parser is not recursive. A pickle may put one value on the stack for
 * every 32 bytes of the file and 4096 more, so that memory is limited to a few times the file's
 * length. */
#ifndef TRAINER_PICKLE_H
#define TRAINER_PICKLE_H

#include "sim/base/status.h"

typedef enum {
    PICKLE_NONE,
    PICKLE_BOOLEAN,
    PICKLE_INTEGER,
    PICKLE_BYTES, /* also Python 2's str */
    PICKLE_TEXT,  /* unicode, in UTF-8 */
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,
    PICKLE_GLOBAL, /* a callable or class by name */
    PICKLE_DTYPE,  /* numpy's, of unsigned bytes */
    PICKLE_ARRAY,  /* numpy's, of unsigned bytes, in row-major order */
    PICKLE_MARK,   /* internal: where a run of values begins */
} PickleKind;

typedef struct PickleValue PickleValue;
struct PickleValue {
    PickleKind kind;
    size_t at;            /* byte of the file where its opcode is */
    int64_t integer;      /* BOOLEAN, INTEGER; GLOBAL: a PickleGlobal */
    const uint8_t *bytes; /* BYTES, TEXT: borrowed from the file */
    size_t length;
    bool is_recoded;     /* BYTES only: as code points 0 to 255 in UTF-8 (Python 3, protocol 2) */
    PickleValue **items; /* TUPLE, LIST; DICT: key, value, key, ... */
    size_t count, capacity;
    const PickleValue *shape, *content; /* ARRAY: a tuple and bytes; NULL until it is built */
};

/* Parses all `length` bytes. Values are in `arena` and borrow from `bytes`. Fails with
 * STATUS_BAD_INPUT, naming the byte, if it is not such a pickle. */
MUST_CHECK bool pickle_read(const char *file, const uint8_t *bytes, size_t length, Arena *arena,
                            const PickleValue **value, Status *status);

/* True if `value` is BYTES or TEXT and equals `string`, which is ASCII. */
bool pickle_is_string(const PickleValue *value, const char *string);

/* The value of `key`, NULL if the dict does not have the key. If it occurs several times, the last
 * one counts, as in Python. */
const PickleValue *pickle_find(const PickleValue *dict, const char *key);

/* Gives the plain bytes, allocated in `arena` if they have to be recoded. False if they are not
 * UTF-8 of code points 0 to 255. */
bool pickle_decode(const PickleValue *bytes, Arena *arena, const uint8_t **decoded, size_t *length);

#endif
