#include "trainer/data/pickle_objects.h"

#include <string.h>

static const struct {
    const char *module, *name;
    PickleGlobal global;
} globals[] = {
    {"numpy.core.multiarray", "_reconstruct", GLOBAL_RECONSTRUCT},
    {"numpy._core.multiarray", "_reconstruct", GLOBAL_RECONSTRUCT}, // numpy 2
    {"numpy.core.numeric", "_frombuffer", GLOBAL_FROMBUFFER},
    {"numpy._core.numeric", "_frombuffer", GLOBAL_FROMBUFFER}, // numpy 2
    {"numpy", "ndarray", GLOBAL_NDARRAY},
    {"numpy", "dtype", GLOBAL_DTYPE},
    {"_codecs", "encode", GLOBAL_ENCODE},
};

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

PickleGlobal pickle_global_find(const char *module, size_t module_length, const char *name,
                                size_t name_length)
{
    for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++) {
        if (is_word(globals[i].module, module, module_length) &&
            is_word(globals[i].name, name, name_length))
            return globals[i].global;
    }
    return GLOBAL_COUNT;
}

/* --- Checks of arguments --- */

static bool is_tuple(const PickleValue *value, size_t count)
{
    return value->kind == PICKLE_TUPLE && value->count == count;
}

static bool is_global(const PickleValue *value, PickleGlobal global)
{
    return value->kind == PICKLE_GLOBAL && value->integer == (int64_t)global;
}

/* Accepts booleans as numbers: versions of numpy differ in which of the two they write. */
static bool is_number(const PickleValue *value, int64_t number)
{
    return (value->kind == PICKLE_INTEGER || value->kind == PICKLE_BOOLEAN) &&
           value->integer == number;
}

/* --- Calls --- */

/* _reconstruct(ndarray, (0,), b"b") */
static const char *call_reconstruct(const PickleValue *arguments, PickleValue *made)
{
    if (!is_tuple(arguments, 3) || !is_global(arguments->items[0], GLOBAL_NDARRAY) ||
        !is_tuple(arguments->items[1], 1) || !is_number(arguments->items[1]->items[0], 0) ||
        !pickle_is_string(arguments->items[2], "b"))
        return "calls _reconstruct with other arguments than numpy does";
    made->kind = PICKLE_ARRAY;
    return NULL;
}

/* _frombuffer(bytes, dtype, shape, "C") */
static const char *call_frombuffer(const PickleValue *arguments, PickleValue *made)
{
    if (!is_tuple(arguments, 4) || arguments->items[0]->kind != PICKLE_BYTES ||
        arguments->items[1]->kind != PICKLE_DTYPE || arguments->items[2]->kind != PICKLE_TUPLE)
        return "calls _frombuffer with other arguments than numpy does";
    if (!pickle_is_string(arguments->items[3], "C"))
        return "makes an array that is not stored row by row";
    made->kind = PICKLE_ARRAY;
    made->content = arguments->items[0];
    made->shape = arguments->items[2];
    return NULL;
}

/* dtype("u1", False, True) */
static const char *call_dtype(const PickleValue *arguments, PickleValue *made)
{
    if (!is_tuple(arguments, 3) || !is_number(arguments->items[1], 0) ||
        !is_number(arguments->items[2], 1))
        return "calls dtype with other arguments than numpy does";
    if (!pickle_is_string(arguments->items[0], "u1"))
        return "makes numpy data of another type than \"u1\", unsigned bytes";
    made->kind = PICKLE_DTYPE;
    return NULL;
}

/* encode(text, "latin1") */
static const char *call_encode(const PickleValue *arguments, PickleValue *made)
{
    if (!is_tuple(arguments, 2) || arguments->items[0]->kind != PICKLE_TEXT ||
        !pickle_is_string(arguments->items[1], "latin1"))
        return "calls encode with other arguments than Python does to store bytes";
    made->kind = PICKLE_BYTES;
    made->bytes = arguments->items[0]->bytes;
    made->length = arguments->items[0]->length;
    made->is_recoded = true;
    return NULL;
}

const char *pickle_object_call(const PickleValue *callable, const PickleValue *arguments,
                               PickleValue *made)
{
    if (callable->kind != PICKLE_GLOBAL)
        return "calls a value that is not callable";
    switch ((PickleGlobal)callable->integer) {
    case GLOBAL_RECONSTRUCT:
        return call_reconstruct(arguments, made);
    case GLOBAL_FROMBUFFER:
        return call_frombuffer(arguments, made);
    case GLOBAL_NDARRAY:
        return "calls numpy.ndarray, which numpy itself does not";
    case GLOBAL_DTYPE:
        return call_dtype(arguments, made);
    case GLOBAL_ENCODE:
        return call_encode(arguments, made);
    case GLOBAL_COUNT:
        break;
    }
    return "calls a value that is not callable";
}

/* --- States --- */

/* (1, shape, dtype, is stored by columns, bytes) */
static const char *build_array(PickleValue *array, const PickleValue *state)
{
    if (array->content)
        return "fills in an array twice";
    if (!is_tuple(state, 5) || !is_number(state->items[0], 1) ||
        state->items[1]->kind != PICKLE_TUPLE || state->items[2]->kind != PICKLE_DTYPE ||
        state->items[4]->kind != PICKLE_BYTES)
        return "fills in an array with another state than numpy's";
    if (!is_number(state->items[3], 0))
        return "makes an array that is not stored row by row";
    array->shape = state->items[1];
    array->content = state->items[4];
    return NULL;
}

/* (3, "|", None, None, None, -1, -1, 0): byte order, sub-array, names, fields, size, alignment,
 * flags */
static const char *build_dtype(const PickleValue *state)
{
    if (!is_tuple(state, 8) || !is_number(state->items[0], 3) ||
        !pickle_is_string(state->items[1], "|"))
        return "makes a type with another state than numpy's for bytes";
    for (int i = 2; i <= 4; i++) {
        if (state->items[i]->kind != PICKLE_NONE)
            return "makes a type with sub-arrays or fields";
    }
    return NULL;
}

const char *pickle_object_build(PickleValue *object, const PickleValue *state)
{
    if (object->kind == PICKLE_ARRAY)
        return build_array(object, state);
    if (object->kind == PICKLE_DTYPE)
        return build_dtype(state);
    return "fills in a value that is neither an array nor a type";
}
