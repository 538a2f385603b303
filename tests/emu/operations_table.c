/* Prints the list of operations for the documentation, from the tables that requests are routed by
 * and from what tests have noted (operations_log.h); exit 1 when an operation that is implemented
 * was never seen to succeed.
 *
 *     operations_table LOG... > emu/OPERATIONS.md
 *
 * A log is named after its test program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/route.h"
#include "sim/cli/files.h"

enum { STATUSES_MAX = 40 };

typedef struct {
    int32_t status;
    const char *programs; /* "test_arm, test_batchai" */
} Seen;

typedef struct {
    int32_t count;
    Seen seen[STATUSES_MAX]; /* in order of status */
} Row;

static Arena *arena;
static int log_count;
static const char **log_names, **log_texts;

static void read_logs(int count, char **paths)
{
    log_count = count;
    log_names = ARENA_ARRAY(arena, const char *, count);
    log_texts = ARENA_ARRAY(arena, const char *, count);
    for (int i = 0; i < count; i++) {
        char *text;
        size_t length;
        Status status = {0};
        const char *slash = strrchr(paths[i], '/');
        log_names[i] = slash ? slash + 1 : paths[i];
        if (!file_read(arena, paths[i], 64 << 20, &text, &length, &status)) {
            fprintf(stderr, "%s: %s\n", paths[i], status.message);
            exit(1);
        }
        log_texts[i] = text;
    }
}

static void note(Row *row, int32_t status, const char *program)
{
    int32_t at = 0;
    while (at < row->count && row->seen[at].status < status)
        at++;
    if (at == row->count || row->seen[at].status != status) {
        if (row->count == STATUSES_MAX)
            return;
        memmove(&row->seen[at + 1], &row->seen[at],
                (size_t)(row->count++ - at) * sizeof *row->seen);
        row->seen[at] = (Seen){status, program};
    } else if (!strstr(row->seen[at].programs, program)) {
        row->seen[at].programs = arena_printf(arena, "%s, %s", row->seen[at].programs, program);
    }
}

static Row find(const char *operation)
{
    Row row = {0};
    const size_t length = strlen(operation);
    for (int i = 0; i < log_count; i++)
        for (const char *line = log_texts[i]; *line != '\0';) {
            if (strncmp(line, operation, length) == 0 && line[length] == '\t')
                note(&row, (int32_t)strtol(line + length + 1, NULL, 10), log_names[i]);
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
    return row;
}

/* A DELETE of what is not there answers 204: that shows nothing. */
static bool is_success(const Route *route, int32_t status)
{
    return status < 300 && !(route->method == HTTP_DELETE && status == 204);
}

static bool print_table(const char *title, const Route *table)
{
    bool is_whole = true;
    printf("\n## %s\n\n| operation | request | answers, and the tests that see them |\n"
           "| --- | --- | --- |\n",
           title);
    for (const Route *route = table; route->operation; route++) {
        const Row row = find(route->operation);
        bool succeeds = false;
        printf("| %s | %s `%s` |", route->operation, http_method_name(route->method),
               route->pattern);
        if (!route->handler)
            printf(" 501: not implemented");
        for (int32_t i = 0; i < row.count && route->handler; i++) {
            succeeds |= is_success(route, row.seen[i].status);
            printf("%s %d: %s", i ? ";" : "", (int)row.seen[i].status, row.seen[i].programs);
        }
        printf(" |\n");
        if (route->handler && !succeeds) {
            fprintf(stderr, "operations: no test sees %s succeed\n", route->operation);
            is_whole = false;
        }
    }
    return is_whole;
}

int main(int argc, char **argv)
{
    arena = arena_create();
    read_logs(argc - 1, argv + 1);
    printf(
        "# Operations\n\nWhat the emulator answers, from the tables by which it routes requests; "
        "which status codes the tests in tests/emu see.\nMade by `tools/operations.sh`: do not "
        "edit.\n");
    bool is_whole = print_table("Batch AI, 2018-05-01", batchai_routes);
    is_whole &= print_table("Resource Manager and storage accounts", arm_routes);
    is_whole &= print_table("Tokens", login_routes);
    arena_destroy(arena);
    return is_whole ? 0 : 1;
}
