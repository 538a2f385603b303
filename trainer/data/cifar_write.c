#include "trainer/data/cifar_write.h"

#include <string.h>

enum { PLANES_BYTES = CIFAR_RECORD_BYTES - 1 };

/* --- Pickles ---
 *
 * The opcodes and their order are those of Python 2's cPickle with protocol 2, which wrote the
 * published files. A file is a dict of batch_label, labels, data and filenames. data is a numpy
 * array in the form of numpy.ndarray.__reduce__. Opcodes: CPython, Lib/pickletools.py. Opcodes that
 * only set memo entries are left out, because nothing reads the memo. */

static void put_text(FILE *stream, const char *opcodes)
{
    fputs(opcodes, stream);
}

static void put_little_endian(FILE *stream, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> (8 * i) & 0xff), stream);
}

/* SHORT_BINSTRING: at most 255 bytes. */
static void put_string(FILE *stream, const char *text)
{
    fputc('U', stream);
    put_little_endian(stream, (uint32_t)strlen(text), 1);
    put_text(stream, text);
}

/* BININT1, BININT2 or BININT, the shortest */
static void put_integer(FILE *stream, int32_t value)
{
    const int bytes = value < 0 || value > 0xffff ? 4 : value > 0xff ? 2 : 1;
    fputc(bytes == 1 ? 'K' : bytes == 2 ? 'M' : 'J', stream);
    put_little_endian(stream, (uint32_t)value, bytes);
}

/* Items of a list are written in runs of at most 1000 between MARK and APPENDS. */
enum { RUN_ITEMS = 1000 };

static void begin_item(FILE *stream, int32_t i)
{
    if (i % RUN_ITEMS == 0)
        put_text(stream, "(");
}

static void end_item(FILE *stream, int32_t i, int32_t count)
{
    if (i % RUN_ITEMS == RUN_ITEMS - 1 || i == count - 1)
        put_text(stream, "e");
}

static void put_dtype(FILE *stream)
{
    put_text(stream, "cnumpy\ndtype\n");
    put_string(stream, "u1");
    put_integer(stream, 0);
    put_integer(stream, 1);
    put_text(stream, "\x87R("); // TUPLE3, REDUCE, MARK
    put_integer(stream, 3);     // the version of the state
    put_string(stream, "|");    // no byte order
    put_text(stream, "NNN");    // no sub-array, names or fields
    put_integer(stream, -1);
    put_integer(stream, -1);
    put_integer(stream, 0);
    put_text(stream, "tb"); // TUPLE, BUILD
}

/* Writes the array up to its bytes, ending with BINSTRING and its length. */
static void put_array_begin(FILE *stream, int32_t count)
{
    put_text(stream, "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n");
    put_integer(stream, 0);
    put_text(stream, "\x85"); // TUPLE1
    put_string(stream, "b");
    put_text(stream, "\x87R("); // TUPLE3, REDUCE, MARK
    put_integer(stream, 1);     // the version of the state
    put_integer(stream, count);
    put_integer(stream, PLANES_BYTES);
    put_text(stream, "\x86"); // TUPLE2
    put_dtype(stream);
    put_text(stream, "\x89T"); // NEWFALSE: rows one after the other
    put_little_endian(stream, (uint32_t)count * PLANES_BYTES, 4);
}

static void pickle_begin(FILE *stream, const CifarContents *contents)
{
    put_text(stream, "\x80\x02}("); // PROTO 2, EMPTY_DICT, MARK
    put_string(stream, "batch_label");
    put_string(stream, contents->title);
    put_string(stream, "labels");
    put_text(stream, "]");
    for (int32_t i = 0; i < contents->count; i++) {
        begin_item(stream, i);
        put_integer(stream, contents->labels[i]);
        end_item(stream, i, contents->count);
    }
    put_string(stream, "data");
    put_array_begin(stream, contents->count);
}

static void pickle_end(FILE *stream, const CifarContents *contents)
{
    put_text(stream, "tb"); // TUPLE, BUILD: the array
    put_string(stream, "filenames");
    put_text(stream, "]");
    for (int32_t i = 0; i < contents->count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%06d.png", contents->name_stem, (int)i);
        begin_item(stream, i);
        put_string(stream, name);
        end_item(stream, i, contents->count);
    }
    put_text(stream, "u."); // SETITEMS, STOP
}

/* --- Either encoding --- */

void cifar_write_begin(FILE *stream, CifarEncoding encoding, const CifarContents *contents)
{
    if (encoding == CIFAR_PICKLE)
        pickle_begin(stream, contents);
}

void cifar_write_image(FILE *stream, CifarEncoding encoding, uint8_t label,
                       const uint8_t planes[PLANES_BYTES])
{
    if (encoding == CIFAR_BINARY)
        fputc(label, stream);
    fwrite(planes, 1, PLANES_BYTES, stream);
}

void cifar_write_end(FILE *stream, CifarEncoding encoding, const CifarContents *contents)
{
    if (encoding == CIFAR_PICKLE)
        pickle_end(stream, contents);
}
