#include "trainer/data/pickle.h"

#include <inttypes.h>
#include <string.h>

#include "trainer/data/pickle_objects.h"

enum { PROTOCOL_MIN = 2, PROTOCOL_MAX = 5, NAME_MAX_SHOWN = 60 };

typedef struct {
    const char *file;
    const uint8_t *bytes;
    size_t length;
    size_t at;        /* the next byte */
    size_t opcode_at; /* of the opcode being done */
    Arena *arena;
    PickleValue **stack;
    size_t depth;
    PickleValue **memo; /* NULL where nothing was put */
    size_t memoized;    /* number of puts: the next index of MEMOIZE */
    size_t pushes, pushes_max;
    bool is_stopped;
    Status *status;
} Machine;

typedef bool (*Action)(Machine *machine);
typedef struct {
    const char *name;
    Action action; /* NULL: refused */
} Opcode;
static const Opcode opcodes[256];

/* --- Failing --- */

static const char *opcode_name(const Machine *machine)
{
    const char *name = opcodes[machine->bytes[machine->opcode_at]].name;
    return name ? name : "an unknown opcode";
}

/* Reports "the pickle's APPENDS at byte 20 WHAT"; returns false. */
static bool fail(Machine *machine, const char *what)
{
    status_fail(machine->status, STATUS_BAD_INPUT, place_in(machine->file, 0, 0),
                "the pickle's %s at byte %zu %s", opcode_name(machine), machine->opcode_at, what);
    return false; // not status_fail's result, so that compilers see the constant
}

/* --- Arguments of an opcode --- */

static bool take(Machine *machine, uint64_t count, const uint8_t **taken)
{
    if (count > machine->length - machine->at)
        return fail(machine, "continues after the end of the file");
    *taken = machine->bytes + machine->at;
    machine->at += (size_t)count;
    return true;
}

/* A whole number of `bytes` bytes, the lowest first. */
static bool take_number(Machine *machine, int bytes, uint64_t *number)
{
    const uint8_t *taken;
    if (!take(machine, (uint64_t)bytes, &taken))
        return false;
    *number = 0;
    for (int i = 0; i < bytes; i++)
        *number |= (uint64_t)taken[i] << (8 * i);
    return true;
}

/* Characters up to the end of the line, without it. */
static bool take_line(Machine *machine, const char **line, size_t *length)
{
    const uint8_t *start = machine->bytes + machine->at;
    const uint8_t *end = memchr(start, '\n', machine->length - machine->at);
    if (!end)
        return fail(machine, "continues after the end of the file");
    *line = (const char *)start;
    *length = (size_t)(end - start);
    machine->at += *length + 1;
    return true;
}

/* --- The stack --- */

static PickleValue *value_create(Machine *machine, PickleKind kind)
{
    PickleValue *value = ARENA_NEW(machine->arena, PickleValue);
    value->kind = kind;
    value->at = machine->opcode_at;
    return value;
}

static bool push(Machine *machine, PickleValue *value)
{
    if (machine->pushes == machine->pushes_max)
        return fail(machine, "makes more values than CIFAR-10 has in a file of this length");
    machine->pushes++;
    machine->stack[machine->depth++] = value;
    return true;
}

static bool push_new(Machine *machine, PickleKind kind)
{
    return push(machine, value_create(machine, kind));
}

static bool push_number(Machine *machine, PickleKind kind, int64_t number)
{
    PickleValue *value = value_create(machine, kind);
    value->integer = number;
    return push(machine, value);
}

/* Gives the topmost value without removing it. */
static bool peek(Machine *machine, PickleValue **value)
{
    if (machine->depth == 0 || machine->stack[machine->depth - 1]->kind == PICKLE_MARK)
        return fail(machine, "needs a value, but there is none");
    *value = machine->stack[machine->depth - 1];
    return true;
}

static bool pop(Machine *machine, PickleValue **value)
{
    if (!peek(machine, value))
        return false;
    machine->depth--;
    return true;
}

/* Pops the values down to the last mark, and the mark. They stay readable until the next push. */
static bool pop_run(Machine *machine, PickleValue ***run, size_t *count)
{
    size_t first = machine->depth;
    while (first > 0 && machine->stack[first - 1]->kind != PICKLE_MARK)
        first--;
    if (first == 0)
        return fail(machine, "needs a mark, but there is none");
    *run = machine->stack + first;
    *count = machine->depth - first;
    machine->depth = first - 1;
    return true;
}

/* --- Numbers, strings, bytes --- */

static bool do_none(Machine *machine)
{
    return push_new(machine, PICKLE_NONE);
}

static bool do_true(Machine *machine)
{
    return push_number(machine, PICKLE_BOOLEAN, 1);
}

static bool do_false(Machine *machine)
{
    return push_number(machine, PICKLE_BOOLEAN, 0);
}

static bool do_integer_1(Machine *machine)
{
    uint64_t number;
    return take_number(machine, 1, &number) &&
           push_number(machine, PICKLE_INTEGER, (int64_t)number);
}

static bool do_integer_2(Machine *machine)
{
    uint64_t number;
    return take_number(machine, 2, &number) &&
           push_number(machine, PICKLE_INTEGER, (int64_t)number);
}

static bool do_integer_4(Machine *machine)
{
    uint64_t number;
    return take_number(machine, 4, &number) &&
           push_number(machine, PICKLE_INTEGER, (int32_t)(uint32_t)number);
}

static bool push_string(Machine *machine, PickleKind kind, int length_bytes)
{
    uint64_t length;
    PickleValue *value = value_create(machine, kind);
    if (!take_number(machine, length_bytes, &length) || !take(machine, length, &value->bytes))
        return false;
    value->length = (size_t)length;
    return push(machine, value);
}

static bool do_bytes_1(Machine *machine)
{
    return push_string(machine, PICKLE_BYTES, 1);
}

static bool do_bytes_4(Machine *machine)
{
    return push_string(machine, PICKLE_BYTES, 4);
}

static bool do_bytes_8(Machine *machine)
{
    return push_string(machine, PICKLE_BYTES, 8);
}

static bool do_text_1(Machine *machine)
{
    return push_string(machine, PICKLE_TEXT, 1);
}

static bool do_text_4(Machine *machine)
{
    return push_string(machine, PICKLE_TEXT, 4);
}

static bool do_text_8(Machine *machine)
{
    return push_string(machine, PICKLE_TEXT, 8);
}

/* --- Lists, tuples, dicts --- */

static bool do_mark(Machine *machine)
{
    return push_new(machine, PICKLE_MARK);
}

static bool do_empty_list(Machine *machine)
{
    return push_new(machine, PICKLE_LIST);
}

static bool do_empty_dict(Machine *machine)
{
    return push_new(machine, PICKLE_DICT);
}

static bool do_empty_tuple(Machine *machine)
{
    return push_new(machine, PICKLE_TUPLE);
}

static void add_items(Machine *machine, PickleValue *to, PickleValue **items, size_t count)
{
    if (to->count + count > to->capacity) {
        const size_t capacity = 2 * to->capacity + count;
        PickleValue **grown = ARENA_ARRAY(machine->arena, PickleValue *, capacity);
        if (to->count > 0)
            memcpy(grown, to->items, to->count * sizeof *grown);
        to->items = grown;
        to->capacity = capacity;
    }
    if (count > 0)
        memcpy(to->items + to->count, items, count * sizeof *items);
    to->count += count;
}

/* Adds values that were just popped to the list or dict below them. */
static bool add_to_top(Machine *machine, PickleKind kind, PickleValue **items, size_t count)
{
    PickleValue *top;
    if (!peek(machine, &top))
        return false;
    if (top->kind != kind)
        return fail(machine, kind == PICKLE_LIST ? "adds to a value that is not a list"
                                                 : "adds to a value that is not a dict");
    add_items(machine, top, items, count);
    return true;
}

static bool do_append(Machine *machine)
{
    PickleValue *item;
    return pop(machine, &item) && add_to_top(machine, PICKLE_LIST, &item, 1);
}

static bool do_appends(Machine *machine)
{
    PickleValue **run;
    size_t count;
    return pop_run(machine, &run, &count) && add_to_top(machine, PICKLE_LIST, run, count);
}

static bool do_setitem(Machine *machine)
{
    PickleValue *pair[2];
    return pop(machine, &pair[1]) && pop(machine, &pair[0]) &&
           add_to_top(machine, PICKLE_DICT, pair, 2);
}

static bool do_setitems(Machine *machine)
{
    PickleValue **run;
    size_t count;
    if (!pop_run(machine, &run, &count))
        return false;
    if (count % 2 != 0)
        return fail(machine, "has a key without a value");
    return add_to_top(machine, PICKLE_DICT, run, count);
}

static bool push_tuple(Machine *machine, PickleValue **items, size_t count)
{
    PickleValue *tuple = value_create(machine, PICKLE_TUPLE);
    add_items(machine, tuple, items, count);
    return push(machine, tuple);
}

static bool do_tuple(Machine *machine)
{
    PickleValue **run;
    size_t count;
    return pop_run(machine, &run, &count) && push_tuple(machine, run, count);
}

static bool do_tuple_1(Machine *machine)
{
    PickleValue *items[1];
    return pop(machine, &items[0]) && push_tuple(machine, items, 1);
}

static bool do_tuple_2(Machine *machine)
{
    PickleValue *items[2];
    return pop(machine, &items[1]) && pop(machine, &items[0]) && push_tuple(machine, items, 2);
}

static bool do_tuple_3(Machine *machine)
{
    PickleValue *items[3];
    return pop(machine, &items[2]) && pop(machine, &items[1]) && pop(machine, &items[0]) &&
           push_tuple(machine, items, 3);
}

/* --- The memo --- */

static bool memo_put(Machine *machine, uint64_t index)
{
    PickleValue *value;
    if (!peek(machine, &value))
        return false;
    if (index >= machine->pushes_max)
        return fail(machine, "remembers more values than CIFAR-10 has in a file of this length");
    machine->memo[index] = value;
    machine->memoized++;
    return true;
}

static bool memo_get(Machine *machine, uint64_t index)
{
    if (index >= machine->pushes_max || !machine->memo[index])
        return fail(machine, "asks for a value that was never remembered");
    return push(machine, machine->memo[index]);
}

static bool do_put_1(Machine *machine)
{
    uint64_t index;
    return take_number(machine, 1, &index) && memo_put(machine, index);
}

static bool do_put_4(Machine *machine)
{
    uint64_t index;
    return take_number(machine, 4, &index) && memo_put(machine, index);
}

static bool do_memoize(Machine *machine)
{
    return memo_put(machine, machine->memoized);
}

static bool do_get_1(Machine *machine)
{
    uint64_t index;
    return take_number(machine, 1, &index) && memo_get(machine, index);
}

static bool do_get_4(Machine *machine)
{
    uint64_t index;
    return take_number(machine, 4, &index) && memo_get(machine, index);
}

/* --- Objects --- */

static bool push_global(Machine *machine, const char *module, size_t module_length,
                        const char *name, size_t name_length)
{
    const PickleGlobal global = pickle_global_find(module, module_length, name, name_length);
    if (global != GLOBAL_COUNT)
        return push_number(machine, PICKLE_GLOBAL, global);
    const int module_shown = (int)(module_length < NAME_MAX_SHOWN ? module_length : NAME_MAX_SHOWN);
    const int name_shown = (int)(name_length < NAME_MAX_SHOWN ? name_length : NAME_MAX_SHOWN);
    status_fail(machine->status, STATUS_BAD_INPUT, place_in(machine->file, 0, 0),
                "the pickle's %s at byte %zu imports \"%.*s.%.*s\", which CIFAR-10 does not need",
                opcode_name(machine), machine->opcode_at, module_shown, module, name_shown, name);
    return status_hint(machine->status, "a pickle can run any program when Python reads it; "
                                        "no part of this pickle was run");
}

static bool do_global(Machine *machine)
{
    const char *module, *name;
    size_t module_length, name_length;
    return take_line(machine, &module, &module_length) && take_line(machine, &name, &name_length) &&
           push_global(machine, module, module_length, name, name_length);
}

static bool do_stack_global(Machine *machine)
{
    PickleValue *module, *name;
    if (!pop(machine, &name) || !pop(machine, &module))
        return false;
    if (module->kind != PICKLE_TEXT || name->kind != PICKLE_TEXT)
        return fail(machine, "needs a module and a name");
    return push_global(machine, (const char *)module->bytes, module->length,
                       (const char *)name->bytes, name->length);
}

static bool do_reduce(Machine *machine)
{
    PickleValue *arguments, *callable;
    if (!pop(machine, &arguments) || !pop(machine, &callable))
        return false;
    PickleValue *made = value_create(machine, PICKLE_NONE);
    const char *problem = pickle_object_call(callable, arguments, made);
    return problem ? fail(machine, problem) : push(machine, made);
}

static bool do_build(Machine *machine)
{
    PickleValue *state, *object;
    if (!pop(machine, &state) || !peek(machine, &object))
        return false;
    const char *problem = pickle_object_build(object, state);
    return problem ? fail(machine, problem) : true;
}

/* --- The whole --- */

/* A frame gives the number of bytes to read at once. Only checked, because the whole file is in
 * memory. */
static bool do_frame(Machine *machine)
{
    uint64_t length;
    if (!take_number(machine, 8, &length))
        return false;
    return length <= machine->length - machine->at ||
           fail(machine, "continues after the end of the file");
}

static bool do_stop(Machine *machine)
{
    machine->is_stopped = true;
    if (machine->depth != 1 || machine->stack[0]->kind == PICKLE_MARK)
        return fail(machine, "leaves other than one value");
    if (machine->at != machine->length)
        return fail(machine, "is not the end of the file");
    return true;
}

/* Every opcode of protocols 0 to 5. */
static const Opcode opcodes[256] = {
    ['('] = {"MARK", do_mark},
    ['.'] = {"STOP", do_stop},
    ['0'] = {"POP", NULL},
    ['1'] = {"POP_MARK", NULL},
    ['2'] = {"DUP", NULL},
    ['F'] = {"FLOAT", NULL},
    ['I'] = {"INT", NULL},
    ['J'] = {"BININT", do_integer_4},
    ['K'] = {"BININT1", do_integer_1},
    ['L'] = {"LONG", NULL},
    ['M'] = {"BININT2", do_integer_2},
    ['N'] = {"NONE", do_none},
    ['P'] = {"PERSID", NULL},
    ['Q'] = {"BINPERSID", NULL},
    ['R'] = {"REDUCE", do_reduce},
    ['S'] = {"STRING", NULL},
    ['T'] = {"BINSTRING", do_bytes_4},
    ['U'] = {"SHORT_BINSTRING", do_bytes_1},
    ['V'] = {"UNICODE", NULL},
    ['X'] = {"BINUNICODE", do_text_4},
    ['a'] = {"APPEND", do_append},
    ['b'] = {"BUILD", do_build},
    ['c'] = {"GLOBAL", do_global},
    ['d'] = {"DICT", NULL},
    ['}'] = {"EMPTY_DICT", do_empty_dict},
    ['e'] = {"APPENDS", do_appends},
    ['g'] = {"GET", NULL},
    ['h'] = {"BINGET", do_get_1},
    ['i'] = {"INST", NULL},
    ['j'] = {"LONG_BINGET", do_get_4},
    ['l'] = {"LIST", NULL},
    [']'] = {"EMPTY_LIST", do_empty_list},
    ['o'] = {"OBJ", NULL},
    ['p'] = {"PUT", NULL},
    ['q'] = {"BINPUT", do_put_1},
    ['r'] = {"LONG_BINPUT", do_put_4},
    ['s'] = {"SETITEM", do_setitem},
    ['t'] = {"TUPLE", do_tuple},
    [')'] = {"EMPTY_TUPLE", do_empty_tuple},
    ['u'] = {"SETITEMS", do_setitems},
    ['G'] = {"BINFLOAT", NULL},
    [0x80] = {"PROTO", NULL}, // read_protocol reads the first one
    [0x81] = {"NEWOBJ", NULL},
    [0x82] = {"EXT1", NULL},
    [0x83] = {"EXT2", NULL},
    [0x84] = {"EXT4", NULL},
    [0x85] = {"TUPLE1", do_tuple_1},
    [0x86] = {"TUPLE2", do_tuple_2},
    [0x87] = {"TUPLE3", do_tuple_3},
    [0x88] = {"NEWTRUE", do_true},
    [0x89] = {"NEWFALSE", do_false},
    [0x8a] = {"LONG1", NULL},
    [0x8b] = {"LONG4", NULL},
    ['B'] = {"BINBYTES", do_bytes_4},
    ['C'] = {"SHORT_BINBYTES", do_bytes_1},
    [0x8c] = {"SHORT_BINUNICODE", do_text_1},
    [0x8d] = {"BINUNICODE8", do_text_8},
    [0x8e] = {"BINBYTES8", do_bytes_8},
    [0x8f] = {"EMPTY_SET", NULL},
    [0x90] = {"ADDITEMS", NULL},
    [0x91] = {"FROZENSET", NULL},
    [0x92] = {"NEWOBJ_EX", NULL},
    [0x93] = {"STACK_GLOBAL", do_stack_global},
    [0x94] = {"MEMOIZE", do_memoize},
    [0x95] = {"FRAME", do_frame},
    [0x96] = {"BYTEARRAY8", do_bytes_8},
    [0x97] = {"NEXT_BUFFER", NULL},
    [0x98] = {"READONLY_BUFFER", NULL},
};

static bool read_protocol(Machine *machine)
{
    enum { PROTO = 0x80 };
    if (machine->length < 2 || machine->bytes[0] != PROTO)
        return status_fail(machine->status, STATUS_BAD_INPUT, place_in(machine->file, 0, 0),
                           "the file does not begin as a Python pickle of protocol %d to %d",
                           PROTOCOL_MIN, PROTOCOL_MAX);
    const int protocol = machine->bytes[1];
    if (protocol < PROTOCOL_MIN || protocol > PROTOCOL_MAX)
        return status_fail(machine->status, STATUS_BAD_INPUT, place_in(machine->file, 0, 0),
                           "the pickle's protocol at byte 1 is %d, expected %d to %d", protocol,
                           PROTOCOL_MIN, PROTOCOL_MAX);
    machine->at = 2;
    return true;
}

static bool do_next(Machine *machine)
{
    if (machine->at == machine->length)
        return status_fail(machine->status, STATUS_BAD_INPUT, place_in(machine->file, 0, 0),
                           "the pickle ends at byte %zu without its STOP: it was cut off",
                           machine->length);
    machine->opcode_at = machine->at++;
    const Action action = opcodes[machine->bytes[machine->opcode_at]].action;
    return action ? action(machine) : fail(machine, "is not an opcode of CIFAR-10's files");
}

bool pickle_read(const char *file, const uint8_t *bytes, size_t length, Arena *arena,
                 const PickleValue **value, Status *status)
{
    enum { BYTES_PER_PUSH = 32, PUSHES_BESIDES = 4096 };
    const size_t pushes_max = length / BYTES_PER_PUSH + PUSHES_BESIDES;
    Machine machine = {.file = file,
                       .bytes = bytes,
                       .length = length,
                       .arena = arena,
                       .stack = ARENA_ARRAY(arena, PickleValue *, pushes_max),
                       .memo = ARENA_ARRAY(arena, PickleValue *, pushes_max),
                       .pushes_max = pushes_max,
                       .status = status};
    if (!read_protocol(&machine))
        return false;
    while (!machine.is_stopped) {
        if (!do_next(&machine))
            return false;
    }
    *value = machine.stack[0];
    return true;
}

/* --- Access to values --- */

bool pickle_is_string(const PickleValue *value, const char *string)
{
    return (value->kind == PICKLE_BYTES || value->kind == PICKLE_TEXT) &&
           value->length == strlen(string) && memcmp(value->bytes, string, value->length) == 0;
}

const PickleValue *pickle_find(const PickleValue *dict, const char *key)
{
    const PickleValue *found = NULL;
    for (size_t i = 0; i < dict->count; i += 2) {
        if (pickle_is_string(dict->items[i], key))
            found = dict->items[i + 1];
    }
    return found;
}

bool pickle_decode(const PickleValue *bytes, Arena *arena, const uint8_t **decoded, size_t *length)
{
    *decoded = bytes->bytes;
    *length = bytes->length;
    if (!bytes->is_recoded)
        return true;
    uint8_t *out = arena_alloc(arena, bytes->length);
    size_t count = 0;
    for (size_t i = 0; i < bytes->length; i++) {
        const uint8_t lead = bytes->bytes[i];
        if (lead < 0x80) {
            out[count++] = lead;
            continue;
        }
        // Code points 80 to ff are two bytes: c2 or c3, and six bits.
        if ((lead != 0xc2 && lead != 0xc3) || i + 1 == bytes->length ||
            (bytes->bytes[i + 1] & 0xc0) != 0x80)
            return false;
        out[count++] = (uint8_t)((lead & 0x03) << 6 | (bytes->bytes[++i] & 0x3f));
    }
    *decoded = out;
    *length = count;
    return true;
}
