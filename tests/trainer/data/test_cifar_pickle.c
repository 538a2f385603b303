#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "trainer/data/dataset.h"
#include "trainer/data/pickle.h"

enum { CAPACITY = 1200 };

#define SEEDS TRAINYARD_SOURCE_DIR "/tests/fuzz/seeds/"

static ImageSet set_create(Arena *arena)
{
    return (ImageSet){.images = ARENA_ARRAY(arena, uint8_t, CAPACITY * IMAGE_BYTES),
                      .labels = ARENA_ARRAY(arena, uint8_t, CAPACITY)};
}

/* --- A file of Python 2 ---
 *
 * It has the opcodes of the published data_batch_1, with cPickle's numbering of the memo from 1.
 * Each value that a test changes is a field. */

typedef struct {
    int count, rows, columns; /* number of images; the shape */
    int data_bytes;
    int last_label;
    const char *type, *constructor, *labels_key;
    const char *is_by_columns; /* opcode */
} Published;

static Published published(int count)
{
    return (Published){.count = count,
                       .rows = count,
                       .columns = IMAGE_BYTES,
                       .data_bytes = count * IMAGE_BYTES,
                       .last_label = 7,
                       .type = "u1",
                       .constructor = "cnumpy.core.multiarray\n_reconstruct\n",
                       .labels_key = "labels",
                       .is_by_columns = "\x89"};
}

static int label_of(const Published *contents, int i)
{
    return i == contents->count - 1 ? contents->last_label : i % 10;
}

static uint8_t byte_of(int i)
{
    return (uint8_t)(i * 5 + i / 251);
}

typedef struct {
    Text bytes;
    uint32_t memoized;
} Emitter;

static void emit(Emitter *emitter, const char *opcodes)
{
    text_add(&emitter->bytes, opcodes);
}

static void emit_number(Emitter *emitter, uint32_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const char byte = (char)(number >> (8 * i) & 0xff);
        text_append(&emitter->bytes, &byte, 1);
    }
}

/* BINPUT, LONG_BINPUT above 255 */
static void emit_put(Emitter *emitter)
{
    emitter->memoized++;
    emit(emitter, emitter->memoized < 256 ? "q" : "r");
    emit_number(emitter, emitter->memoized, emitter->memoized < 256 ? 1 : 4);
}

static void emit_string(Emitter *emitter, const char *string)
{
    emit(emitter, "U");
    emit_number(emitter, (uint32_t)strlen(string), 1);
    emit(emitter, string);
    emit_put(emitter);
}

static void emit_integer(Emitter *emitter, int number)
{
    if (number < 0 || number > 65535) {
        emit(emitter, "J");
        emit_number(emitter, (uint32_t)number, 4);
    } else {
        emit(emitter, number < 256 ? "K" : "M");
        emit_number(emitter, (uint32_t)number, number < 256 ? 1 : 2);
    }
}

static void emit_labels(Emitter *emitter, const Published *contents)
{
    emit_string(emitter, contents->labels_key);
    emit(emitter, "]");
    emit_put(emitter);
    for (int i = 0; i < contents->count; i++) {
        if (i % 1000 == 0)
            emit(emitter, i > 0 ? "e(" : "(");
        emit_integer(emitter, label_of(contents, i));
    }
    emit(emitter, "e");
}

static void emit_dtype(Emitter *emitter, const Published *contents)
{
    emit(emitter, "cnumpy\ndtype\n");
    emit_put(emitter);
    emit_string(emitter, contents->type);
    emit(emitter, "K");
    emit_number(emitter, 0, 1);
    emit(emitter, "K\x01\x87");
    emit_put(emitter);
    emit(emitter, "R");
    emit_put(emitter);
    emit(emitter, "(K\x03");
    emit_string(emitter, "|");
    emit(emitter, "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK");
    emit_number(emitter, 0, 1);
    emit(emitter, "t");
    emit_put(emitter);
    emit(emitter, "b");
}

static void emit_data(Emitter *emitter, const Published *contents)
{
    emit_string(emitter, "data");
    emit(emitter, contents->constructor);
    emit_put(emitter);
    emit(emitter, "cnumpy\nndarray\n");
    emit_put(emitter);
    emit(emitter, "K");
    emit_number(emitter, 0, 1);
    emit(emitter, "\x85");
    emit_put(emitter);
    emit_string(emitter, "b");
    emit(emitter, "\x87");
    emit_put(emitter);
    emit(emitter, "R");
    emit_put(emitter);
    emit(emitter, "(K\x01");
    emit_integer(emitter, contents->rows);
    emit_integer(emitter, contents->columns);
    emit(emitter, "\x86");
    emit_put(emitter);
    emit_dtype(emitter, contents);
    emit(emitter, contents->is_by_columns);
    emit(emitter, "T");
    emit_number(emitter, (uint32_t)contents->data_bytes, 4);
    for (int i = 0; i < contents->data_bytes; i++) {
        const char byte = (char)byte_of(i);
        text_append(&emitter->bytes, &byte, 1);
    }
    emit_put(emitter);
    emit(emitter, "t");
    emit_put(emitter);
    emit(emitter, "b");
}

static void emit_names(Emitter *emitter, const Published *contents)
{
    emit_string(emitter, "filenames");
    emit(emitter, "]");
    emit_put(emitter);
    for (int i = 0; i < contents->count; i++) {
        if (i % 1000 == 0)
            emit(emitter, i > 0 ? "e(" : "(");
        emit_string(emitter, "leptodactylus_pentadactylus_s_000004.png");
    }
    emit(emitter, "e");
}

static Text emit_published(const Published *contents)
{
    Emitter emitter = {0};
    emit(&emitter, "\x80\x02}");
    emit_put(&emitter);
    emit(&emitter, "(");
    emit_string(&emitter, "batch_label");
    emit_string(&emitter, "training batch 1 of 5");
    emit_labels(&emitter, contents);
    emit_data(&emitter, contents);
    emit_names(&emitter, contents);
    emit(&emitter, "u.");
    return emitter.bytes;
}

static bool read_text(const Text *text, ImageSet *set, Status *status)
{
    return cifar_pickle_read("data_batch_1", (const uint8_t *)text->data, text->length, CAPACITY,
                             set, status);
}

/* --- The published form --- */

START_TEST(the_published_files_have_the_known_beginning)
{
    // The first bytes of the real data_batch_1, whose first labels are 6 (frog) and 9 (truck).
    static const char begin[] = "\x80\x02}q\x01(U\x0b"
                                "batch_labelq\x02U\x15training batch 1 of 5q\x03U\x06labelsq\x04]q"
                                "\x05(K";
    const Published contents = published(2);
    Text text = emit_published(&contents);
    ck_assert_mem_eq(text.data, begin, sizeof begin - 1);
    text_free(&text);
}
END_TEST

START_TEST(the_published_form_is_read)
{
    Arena *arena = arena_create();
    const Published contents = published(1111);
    Text text = emit_published(&contents);
    ImageSet set = set_create(arena);
    Status status = {0};
    ck_assert_msg(read_text(&text, &set, &status), "%s", status.message);
    ck_assert_int_eq(set.count, 1111);
    for (int i = 0; i < set.count; i++) {
        ck_assert_int_eq(set.labels[i], label_of(&contents, i));
        const uint8_t *image = set.images + (size_t)i * IMAGE_BYTES;
        ck_assert_int_eq(image[0], byte_of(i * IMAGE_BYTES));
        ck_assert_int_eq(image[1], byte_of(i * IMAGE_BYTES + 1024)); // green
        ck_assert_int_eq(image[3], byte_of(i * IMAGE_BYTES + 1));    // the next pixel's red
        ck_assert_int_eq(image[IMAGE_BYTES - 1], byte_of((i + 1) * IMAGE_BYTES - 1));
    }
    text_free(&text);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_file_cut_off_anywhere_is_refused)
{
    Arena *arena = arena_create();
    const Published contents = published(1);
    Text text = emit_published(&contents);
    ImageSet set = set_create(arena);
    for (size_t length = 0; length < text.length; length++) {
        const Text cut = {.data = text.data, .length = length};
        Status status = {0};
        ck_assert(!read_text(&cut, &set, &status));
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.at.source, "data_batch_1");
        ck_assert_int_eq(set.count, 0);
    }
    text_free(&text);
    arena_destroy(arena);
}
END_TEST

START_TEST(the_first_label_is_checked_too)
{
    Arena *arena = arena_create();
    Published contents = published(1);
    contents.last_label = 10;
    Text text = emit_published(&contents);
    ImageSet set = set_create(arena);
    Status status = {0};
    ck_assert(!read_text(&text, &set, &status));
    ck_assert_ptr_nonnull(strstr(status.message, " is 10, expected 0 to 9"));
    text_free(&text);
    arena_destroy(arena);
}
END_TEST

static const struct {
    Published contents; /* fields that are not 0 or NULL replace those of published(2) */
    const char *message;
} broken[] = {
    {{.last_label = 10}, "the label at byte 62 is 10, expected 0 to 9"},
    {{.last_label = -1}, "the label at byte 62 is -1, expected 0 to 9"},
    {{.rows = 3}, "\"data\" at byte 152 has 3 images for 2 labels"},
    {{.columns = 3073}, "the shape of \"data\" at byte 152 is not (images, 3072)"},
    {{.data_bytes = 6143}, "the content of \"data\" at byte 214 has 6143 bytes, expected 6144"},
    {{.data_bytes = 6145}, "the content of \"data\" at byte 214 has 6145 bytes, expected 6144"},
    {{.type = "f4"}, "REDUCE at byte 183 makes numpy data of another type than \"u1\""},
    {{.is_by_columns = "\x88"}, "makes an array that is not stored row by row"},
    {{.constructor = "cos\nsystem\n"}, "GLOBAL at byte 73 imports \"os.system\""},
    {{.constructor = "c__builtin__\neval\n"}, "imports \"__builtin__.eval\""},
    {{.labels_key = "fine_labels"}, "the pickle has no \"labels\""},
};

static Published broken_published(const Published *change)
{
    Published contents = published(2);
    contents.last_label = change->last_label ? change->last_label : contents.last_label;
    contents.rows = change->rows ? change->rows : contents.rows;
    contents.columns = change->columns ? change->columns : contents.columns;
    contents.data_bytes = change->data_bytes ? change->data_bytes : contents.data_bytes;
    contents.type = change->type ? change->type : contents.type;
    contents.is_by_columns = change->is_by_columns ? change->is_by_columns : contents.is_by_columns;
    contents.constructor = change->constructor ? change->constructor : contents.constructor;
    contents.labels_key = change->labels_key ? change->labels_key : contents.labels_key;
    return contents;
}

START_TEST(broken_files_are_refused_with_the_place_and_change_nothing)
{
    Arena *arena = arena_create();
    ImageSet set = set_create(arena);
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        const Published contents = broken_published(&broken[i].contents);
        Text text = emit_published(&contents);
        Status status = {0};
        ck_assert_msg(!read_text(&text, &set, &status), "row %zu", i);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_msg(strstr(status.message, broken[i].message) != NULL, "row %zu: %s", i,
                      status.message);
        ck_assert_int_eq(set.count, 0);
        text_free(&text);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(more_images_than_there_is_room_for_are_refused)
{
    Arena *arena = arena_create();
    const Published contents = published(3);
    Text text = emit_published(&contents);
    ImageSet set = set_create(arena);
    Status status = {0};
    ck_assert(!cifar_pickle_read("f", (const uint8_t *)text.data, text.length, 2, &set, &status));
    ck_assert_str_eq(status.message, "the file has 3 images, expected at most 2");
    text_free(&text);
    arena_destroy(arena);
}
END_TEST

/* --- The stack machine --- */

#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *bytes;
    size_t length;
    const char *message;
} refused[] = {
    {BYTES(""), "does not begin as a Python pickle of protocol 2 to 5"},
    {BYTES("(dp0\n."), "does not begin as a Python pickle of protocol 2 to 5"},
    {BYTES("\x80\x06."), "protocol at byte 1 is 6, expected 2 to 5"},
    {BYTES("\x80\x02}"), "ends at byte 3 without its STOP: it was cut off"},
    {BYTES("\x80\x02."), "STOP at byte 2 leaves other than one value"},
    {BYTES("\x80\x02(."), "STOP at byte 3 leaves other than one value"},
    {BYTES("\x80\x02NN."), "STOP at byte 4 leaves other than one value"},
    {BYTES("\x80\x02}.x"), "STOP at byte 3 is not the end of the file"},
    {BYTES("\x80\x02\xff."), "an unknown opcode at byte 2 is not an opcode of CIFAR-10's files"},
    {BYTES("\x80\x02(ios\nsystem\n."), "INST at byte 3 is not an opcode of CIFAR-10's files"},
    {BYTES("\x80\x02G12345678."), "BINFLOAT at byte 2 is not an opcode of CIFAR-10's files"},
    {BYTES("\x80\x02\x80\x02N."), "PROTO at byte 2 is not an opcode of CIFAR-10's files"},
    {BYTES("\x80\x02U\x05"
           "abc."),
     "SHORT_BINSTRING at byte 2 continues after the end of the file"},
    {BYTES("\x80\x02T\xff\xff\xff\xff."), "BINSTRING at byte 2 continues after the end"},
    {BYTES("\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\xff."), "BINBYTES8 at byte 2 continues after"},
    {BYTES("\x80\x04\x95\x02\0\0\0\0\0\0\0."), "FRAME at byte 2 continues after the end"},
    {BYTES("\x80\x02"
           "cnumpy\ndtype"),
     "GLOBAL at byte 2 continues after the end of the file"},
    {BYTES("\x80\x02K"), "BININT1 at byte 2 continues after the end of the file"},
    {BYTES("\x80\x02K\x01"
           "a."),
     "APPEND at byte 4 needs a value, but there is none"},
    {BYTES("\x80\x02}K\x01"
           "a."),
     "APPEND at byte 5 adds to a value that is not a list"},
    {BYTES("\x80\x02]NNs."), "SETITEM at byte 5 adds to a value that is not a dict"},
    {BYTES("\x80\x02}(Nu."), "SETITEMS at byte 5 has a key without a value"},
    {BYTES("\x80\x02]Ne."), "APPENDS at byte 4 needs a mark, but there is none"},
    {BYTES("\x80\x02(\x85."), "TUPLE1 at byte 3 needs a value, but there is none"},
    {BYTES("\x80\x02q\0."), "BINPUT at byte 2 needs a value, but there is none"},
    {BYTES("\x80\x02h\x07."), "BINGET at byte 2 asks for a value that was never remembered"},
    {BYTES("\x80\x02j\xff\xff\xff\xff."), "LONG_BINGET at byte 2 asks for a value that was never"},
    {BYTES("\x80\x02Nr\xff\xff\xff\xff."), "LONG_BINPUT at byte 3 remembers more values than"},
    {BYTES("\x80\x02N)R."), "REDUCE at byte 4 calls a value that is not callable"},
    {BYTES("\x80\x02"
           "cnumpy\nndarray\n)R."),
     "REDUCE at byte 18 calls numpy.ndarray"},
    {BYTES("\x80\x02"
           "cnumpy\ndtype\n)R."),
     "REDUCE at byte 16 calls dtype with other arguments than numpy does"},
    {BYTES("\x80\x02N)b."), "BUILD at byte 4 fills in a value that is neither an array nor a type"},
    {BYTES("\x80\x04NN\x93."), "STACK_GLOBAL at byte 4 needs a module and a name"},
    {BYTES("\x80\x04\x8c\x05posix\x8c\x06system\x93."),
     "STACK_GLOBAL at byte 17 imports \"posix.system\""},
    {BYTES("\x80\x05\x97."), "NEXT_BUFFER at byte 2 is not an opcode of CIFAR-10's files"},
    {BYTES("\x80\x02]."), "the pickle is not a dict"},
    {BYTES("\x80\x02}."), "the pickle has no \"labels\""},
    {BYTES("\x80\x02}(U\x06labelsN"
           "u."),
     "\"labels\" at byte 12 is not a list"},
    {BYTES("\x80\x02}(U\x06labels]U\x04"
           "data]u."),
     "\"data\" at byte 19 is not a numpy array"},
};

START_TEST(every_other_pickle_is_refused_with_the_opcode_and_its_place)
{
    Arena *arena = arena_create();
    ImageSet set = set_create(arena);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        Status status = {0};
        // A copy of exact size lets AddressSanitizer see a read past the end.
        uint8_t *exact = malloc(refused[i].length + 1);
        memcpy(exact + 1, refused[i].bytes, refused[i].length);
        ck_assert_msg(
            !cifar_pickle_read("f", exact + 1, refused[i].length, CAPACITY, &set, &status),
            "row %zu", i);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_msg(strstr(status.message, refused[i].message) != NULL, "row %zu: %s", i,
                      status.message);
        free(exact);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(a_refused_pickle_gets_the_hint_that_nothing_was_run)
{
    static const char bytes[] = "\x80\x02"
                                "cos\nsystem\nU\x02ls\x85R.";
    ImageSet set = {0};
    Status status = {0};
    ck_assert(!cifar_pickle_read("f", (const uint8_t *)bytes, sizeof bytes - 1, 0, &set, &status));
    ck_assert_ptr_nonnull(strstr(status.hint, "no part of this pickle was run"));
}
END_TEST

START_TEST(hostile_length_takes_no_more_memory_than_a_few_times_the_file)
{
    enum { LENGTH = 1 << 20 };
    static const char opcodes[] = {'N', '(', ']', '}', ')', 'h'};
    static uint8_t file[LENGTH];
    for (size_t i = 0; i < sizeof opcodes; i++) {
        // BINGET takes an argument: 'h', 'h' asks for a value never remembered, and fails sooner.
        memset(file, opcodes[i], LENGTH);
        file[0] = 0x80;
        file[1] = 2;
        Arena *arena = arena_create();
        const PickleValue *value;
        Status status = {0};
        ck_assert(!pickle_read("f", file, LENGTH, arena, &value, &status));
        ck_assert_uint_lt(arena_bytes(arena), (size_t)6 * LENGTH);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(a_list_that_holds_itself_is_only_a_list)
{
    // labels = []; labels.append(labels): the reader must not follow the cycle.
    static const char bytes[] = "\x80\x02}(U\x06labels]q\x01h\x01"
                                "aU\x04"
                                "dataNu.";
    ImageSet set = {0};
    Status status = {0};
    ck_assert(!cifar_pickle_read("f", (const uint8_t *)bytes, sizeof bytes - 1, 0, &set, &status));
    ck_assert_str_eq(status.message, "\"data\" at byte 24 is not a numpy array");
}
END_TEST

/* --- Files of Python 3 (tests/fuzz/cifar_seeds.py) --- */

static void read_seed(Arena *arena, const char *name, const uint8_t **bytes, size_t *length)
{
    char *data;
    Status status;
    ck_assert(
        file_read(arena, arena_printf(arena, SEEDS "%s", name), 1 << 20, &data, length, &status));
    *bytes = (const uint8_t *)data;
}

START_TEST(python_3s_pickles_hold_the_same_as_the_binary_file)
{
    Arena *arena = arena_create();
    const uint8_t *bytes;
    size_t length;
    Status status = {0};
    ImageSet binary = set_create(arena);
    read_seed(arena, "cifar_binary/two_images", &bytes, &length);
    ck_assert(cifar_binary_read("b", bytes, length, CAPACITY, &binary, &status));
    ck_assert_int_eq(binary.count, 2);
    for (int protocol = 2; protocol <= 5; protocol++) {
        for (int kind = 0; kind < 2; kind++) {
            const char *name = arena_printf(arena, "cifar_pickle/protocol_%d_%s", protocol,
                                            kind == 0 ? "text" : "bytes");
            ImageSet set = set_create(arena);
            read_seed(arena, name, &bytes, &length);
            ck_assert_msg(cifar_pickle_read(name, bytes, length, CAPACITY, &set, &status), "%s: %s",
                          name, status.message);
            ck_assert_int_eq(set.count, 2);
            ck_assert_mem_eq(set.labels, binary.labels, 2);
            ck_assert_mem_eq(set.images, binary.images, 2 * IMAGE_BYTES);
        }
    }
    arena_destroy(arena);
}
END_TEST

static const struct {
    const char *name, *message;
} refused_files[] = {
    {"protocol_0", "does not begin as a Python pickle"},
    {"runs_print", "imports \"__builtin__.print\""},
    {"float", "makes numpy data of another type than \"u1\""},
    {"by_columns", "makes an array that is not stored row by row"},
    {"array_labels", "makes numpy data of another type than \"u1\""},
    {"no_labels", "the pickle has no \"labels\""},
};

START_TEST(other_pickles_of_python_3_are_refused)
{
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof refused_files / sizeof refused_files[0]; i++) {
        const uint8_t *bytes;
        size_t length;
        read_seed(arena, arena_printf(arena, "cifar_pickle/refused_%s", refused_files[i].name),
                  &bytes, &length);
        ImageSet set = set_create(arena);
        Status status = {0};
        ck_assert(!cifar_pickle_read("f", bytes, length, CAPACITY, &set, &status));
        ck_assert_msg(strstr(status.message, refused_files[i].message) != NULL, "%s: %s",
                      refused_files[i].name, status.message);
    }
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cifar_pickle");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_published_files_have_the_known_beginning);
    tcase_add_test(tests, the_published_form_is_read);
    tcase_add_test(tests, a_file_cut_off_anywhere_is_refused);
    tcase_add_test(tests, broken_files_are_refused_with_the_place_and_change_nothing);
    tcase_add_test(tests, the_first_label_is_checked_too);
    tcase_add_test(tests, more_images_than_there_is_room_for_are_refused);
    tcase_add_test(tests, every_other_pickle_is_refused_with_the_opcode_and_its_place);
    tcase_add_test(tests, a_refused_pickle_gets_the_hint_that_nothing_was_run);
    tcase_add_test(tests, hostile_length_takes_no_more_memory_than_a_few_times_the_file);
    tcase_add_test(tests, a_list_that_holds_itself_is_only_a_list);
    tcase_add_test(tests, python_3s_pickles_hold_the_same_as_the_binary_file);
    tcase_add_test(tests, other_pickles_of_python_3_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
