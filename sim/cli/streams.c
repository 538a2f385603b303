#define _GNU_SOURCE // fopencookie
#include "sim/cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/cli/files.h"
#include "sim/cli/terminal.h"

/* The bytes of a character of UTF-8 that the end of `text` cuts. */
static size_t cut_bytes(const char *text, size_t length)
{
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        const unsigned char byte = (unsigned char)text[length - back];
        const size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        if (whole > 1)
            return whole > back ? back : 0;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}

/* A terminal without UTF-8. */
typedef struct {
    int descriptor;
    Text rest; /* the bytes of a cut character, for the next write */
} AsciiStream;

static ssize_t ascii_write(void *cookie, const char *bytes, size_t count)
{
    AsciiStream *stream = cookie;
    Text out = {0};
    text_append(&stream->rest, bytes, count);
    const size_t cut = cut_bytes(text_string(&stream->rest), stream->rest.length);
    const size_t whole = stream->rest.length - cut;
    terminal_ascii(&out, text_string(&stream->rest), whole);
    memmove(stream->rest.data, stream->rest.data + whole, cut);
    stream->rest.length = cut;
    const bool is_written =
        file_put(stream->descriptor, text_string(&out), out.length, FILE_CURRENT_POSITION);
    text_free(&out);
    return is_written ? (ssize_t)count : 0;
}

static int ascii_close(void *cookie)
{
    AsciiStream *stream = cookie;
    text_free(&stream->rest);
    free(stream);
    return 0;
}

/* A stream that writes ASCII to a terminal without UTF-8; `stream` itself for all others. */
static FILE *ascii_stream(FILE *stream, int descriptor, int buffering)
{
    if (terminal_is_utf8() || !isatty(descriptor))
        return stream;
    AsciiStream *cookie = calloc(1, sizeof *cookie);
    if (cookie == NULL)
        return stream;
    cookie->descriptor = descriptor;
    const cookie_io_functions_t functions = {.write = ascii_write, .close = ascii_close};
    FILE *ascii = fopencookie(cookie, "w", functions);
    if (ascii == NULL) {
        free(cookie);
        return stream;
    }
    (void)setvbuf(ascii, NULL, buffering, 0);
    return ascii;
}

void streams_guard(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
            continue;
        // open returns the lowest free number: this one. The wrong direction makes every use fail.
        const int direction = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", direction) < 0)
            return; // without /dev/null the descriptor stays closed
    }
    stdout = ascii_stream(stdout, STDOUT_FILENO, _IOLBF);
    stderr = ascii_stream(stderr, STDERR_FILENO, _IONBF);
}

static struct {
    pthread_mutex_t lock;
    FILE *own;     /* NULL: the standard output is not divided */
    int32_t calls; /* of code from outside that have not returned */
} divided = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool streams_divide(Status *status)
{
    invariant(divided.own == NULL);
    fflush(stdout);
    const int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FILE *stream = own < 0 ? NULL : fdopen(own, "w");
    if (stream == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return status_fail(status, STATUS_MACHINE, place_in("standard output", 0, 0),
                           "cannot be divided: %s", strerror(errno));
    divided.own = stdout = ascii_stream(stream, own, _IOLBF);
    return true;
}

/* C++ code prints on the stream that `stdout` pointed to when it was loaded. */
void streams_foreign_begin(void)
{
    pthread_mutex_lock(&divided.lock);
    if (divided.calls++ == 0)
        stdout = stderr;
    pthread_mutex_unlock(&divided.lock);
}

void streams_foreign_end(void)
{
    pthread_mutex_lock(&divided.lock);
    if (--divided.calls == 0)
        stdout = divided.own;
    pthread_mutex_unlock(&divided.lock);
}

bool streams_finish(Status *status)
{
    errno = 0;
    const bool has_failed = ferror(stdout) != 0;
    const bool is_closed = fclose(stdout) == 0;
    if (divided.own != NULL)
        stdout = stderr; // code from outside may run when the process exits
    if (is_closed && !has_failed)
        return true;
    return status_fail(status, STATUS_MACHINE, place_in("standard output", 0, 0),
                       "writing failed: %s",
                       errno ? strerror(errno) : "some of the output was lost");
}
