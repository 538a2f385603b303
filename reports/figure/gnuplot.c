#include "reports/figure/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/text.h"

enum { CANNOT_EXECUTE = 127 }; /* exit code of a spawned child that found no program */

/* Temporary files instead of pipes: neither process waits for the other, however much is written.
 */
typedef struct {
    FILE *script;
    FILE *drawings;
    FILE *complaints;
} Streams;

static const Place nowhere = {.source = "gnuplot"};

static bool machine_failed(Status *status, const char *what, int error)
{
    return status_fail(status, STATUS_MACHINE, nowhere, "%s: %s", what, strerror(error));
}

static bool is_missing(Status *status)
{
    status_fail(status, STATUS_MACHINE, nowhere, "the program gnuplot is not installed");
    return status_hint(status,
                       "install the package gnuplot-nox (Debian, Ubuntu); `trainyard report "
                       "DIR` then makes the page of a run, sweep or plan again");
}

static bool streams_open(Streams *streams, const char *script, Status *status)
{
    streams->script = tmpfile();
    streams->drawings = tmpfile();
    streams->complaints = tmpfile();
    if (streams->script == NULL || streams->drawings == NULL || streams->complaints == NULL)
        return machine_failed(status, "cannot make a temporary file", errno);
    if (fputs(script, streams->script) == EOF || fflush(streams->script) == EOF)
        return machine_failed(status, "cannot write a temporary file", errno);
    rewind(streams->script);
    return true;
}

static void streams_close(Streams *streams)
{
    FILE *const files[] = {streams->complaints, streams->drawings, streams->script};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i] != NULL)
            fclose(files[i]);
}

/* Starts gnuplot on the streams. Returns 0 or an errno. */
static int start(const Streams *streams, pid_t *child)
{
    char *const arguments[] = {"gnuplot", "--default-settings", "-", NULL};
    char *const environment[] = {"LC_ALL=C.UTF-8", NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, fileno(streams->script), STDIN_FILENO);
    if (error == 0)
        error =
            posix_spawn_file_actions_adddup2(&actions, fileno(streams->drawings), STDOUT_FILENO);
    if (error == 0)
        error =
            posix_spawn_file_actions_adddup2(&actions, fileno(streams->complaints), STDERR_FILENO);
    if (error == 0)
        error = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* As waitpid: the status of the ended child. Returns 0 or an errno. */
static int wait_for(pid_t child, int *ended)
{
    while (waitpid(child, ended, 0) < 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

static void read_all(FILE *file, Text *out)
{
    char buffer[65536];
    size_t length = 0;
    rewind(file);
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_append(out, buffer, length);
}

/* The last line that is not blank: gnuplot's reason for stopping. Cuts `text`. */
static const char *last_line(Text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == '\n')
        text->data[--text->length] = '\0';
    const char *line_end = text->length > 0 ? strrchr(text->data, '\n') : NULL;
    return line_end != NULL ? line_end + 1 : text_string(text);
}

static bool fail_ended(const Streams *streams, int ended, Status *status)
{
    Text complaints = {0};
    read_all(streams->complaints, &complaints);
    const char *reason = last_line(&complaints), *colon = reason[0] != '\0' ? ": " : "";
    if (WIFSIGNALED(ended)) {
        status_fail(status, STATUS_MACHINE, nowhere, "gnuplot was ended by signal %d (%s)%s%s",
                    WTERMSIG(ended), strsignal(WTERMSIG(ended)), colon, reason);
        status_hint(status, "`trainyard report DIR` makes the page again; a machine that lacks "
                            "memory kills programs by signal 9");
    } else {
        status_fail(status, STATUS_MACHINE, nowhere, "gnuplot ended with exit code %d%s%s",
                    WEXITSTATUS(ended), colon, reason);
        status_hint(status, "version 5.4 or later is needed");
    }
    text_free(&complaints);
    return false;
}

static bool run(const Streams *streams, Status *status)
{
    pid_t child = 0;
    int ended = 0;
    int error = start(streams, &child);
    if (error == ENOENT)
        return is_missing(status);
    if (error != 0)
        return machine_failed(status, "cannot start gnuplot", error);
    error = wait_for(child, &ended);
    if (error != 0)
        return machine_failed(status, "cannot wait for gnuplot", error);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == CANNOT_EXECUTE)
        return is_missing(status);
    return (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) || fail_ended(streams, ended, status);
}

/* Cuts gnuplot's output, drawing after drawing, into its parts. */
static bool split(Arena *arena, const char *written, int32_t count, char **drawings, Status *status)
{
    static const char header[] = "<?xml";
    const char *next = strstr(written, header);
    int32_t found = 0;
    for (; next != NULL; found++) {
        const char *begin = next;
        next = strstr(begin + strlen(header), header);
        if (found < count)
            drawings[found] =
                arena_strndup(arena, begin, next != NULL ? (size_t)(next - begin) : strlen(begin));
    }
    if (found != count) {
        status_fail(status, STATUS_MACHINE, nowhere, "gnuplot made %d drawings, expected %d", found,
                    count);
        return status_hint(status, "version 5.4 or later is needed");
    }
    return true;
}

bool gnuplot_draw(Arena *arena, const char *script, int32_t count, char **drawings, Status *status)
{
    Streams streams = {0};
    Text written = {0};
    bool is_drawn = streams_open(&streams, script, status) && run(&streams, status);
    if (is_drawn) {
        read_all(streams.drawings, &written);
        is_drawn = split(arena, text_string(&written), count, drawings, status);
    }
    text_free(&written);
    streams_close(&streams);
    return is_drawn;
}
