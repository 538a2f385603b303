/* Prints the list of operations for the documentation, from the tables that requests are routed by
 * and from the logs of tests (operations_log.h). Exit code 1 if no test saw an implemented
 * operation succeed.
 *
 *     operations_table LOG... > emu/OPERATIONS.md
 *
 * The path of a log is the name of its test (files/share: tests/emu/files/test_share.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/arm/login.h"
#include "emu/arm/routes.h"
#include "emu/batchai/routes.h"
#include "emu/control/dashboard.h"
#include "emu/control/health.h"
#include "emu/files/operations.h"
#include "sim/cli/files.h"

enum { STATUSES_MAX = 40 };

typedef struct {
    int32_t status;
    const char *tests; /* "arm/arm, batchai/batchai" */
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
        log_names[i] = paths[i];
        if (!file_read(arena, paths[i], 64 << 20, &text, &length, &status)) {
            fprintf(stderr, "%s: %s\n", paths[i], status.message);
            exit(1);
        }
        log_texts[i] = text;
    }
}

static void note(Row *row, int32_t status, const char *test)
{
    int32_t at = 0;
    while (at < row->count && row->seen[at].status < status)
        at++;
    if (at == row->count || row->seen[at].status != status) {
        if (row->count == STATUSES_MAX)
            return;
        memmove(&row->seen[at + 1], &row->seen[at],
                (size_t)(row->count++ - at) * sizeof *row->seen);
        row->seen[at] = (Seen){status, test};
    } else if (!strstr(row->seen[at].tests, test)) {
        row->seen[at].tests = arena_printf(arena, "%s, %s", row->seen[at].tests, test);
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

/* Whether a test can see the operation succeed. A DELETE of a missing resource answers 204, which
 * proves nothing. Copies end at once, so no copy can be aborted. */
static bool print_answers(const char *operation, bool deletes)
{
    const Row row = find(operation);
    bool succeeds = row.count > 0 && strcmp(operation, "Abort Copy File") == 0;
    for (int32_t i = 0; i < row.count; i++) {
        succeeds |= row.seen[i].status < 300 && !(deletes && row.seen[i].status == 204);
        printf("%s%d: %s", i ? "; " : "", (int)row.seen[i].status, row.seen[i].tests);
    }
    if (!succeeds)
        fprintf(stderr, "operations: no test sees %s succeed\n", operation);
    return succeeds;
}

static void print_heading(const char *title)
{
    printf("\n## %s\n\n| operation | request | answers, and the tests that see them |\n"
           "| --- | --- | --- |\n",
           title);
}

static const char not_implemented[] = "501: not implemented";

static bool print_route(const Route *route, bool has_handler)
{
    bool is_whole = true;
    printf("| %s | %s `%s` | ", route->operation, http_method_name(route->method), route->pattern);
    if (!has_handler)
        printf("%s", not_implemented);
    else
        is_whole = print_answers(route->operation, route->method == HTTP_DELETE);
    printf(" |\n");
    return is_whole;
}

static bool print_arm_routes(const ArmRoute *table)
{
    bool is_whole = true;
    for (const ArmRoute *row = table; row->route.operation; row++)
        is_whole &= print_route(&row->route, row->handler != NULL);
    return is_whole;
}

static bool print_control_routes(const ControlRoute *table)
{
    bool is_whole = true;
    for (const ControlRoute *row = table; row->route.operation; row++)
        is_whole &= print_route(&row->route, row->handler != NULL);
    return is_whole;
}

static bool print_files_operations(void)
{
    static const char *const scopes[] = {
        [OF_SERVICE] = "/?restype=service",
        [OF_SHARE] = "/SHARE?restype=share",
        [OF_DIRECTORY] = "/SHARE/PATH?restype=directory",
        [OF_FILE] = "/SHARE/PATH",
        [OF_ENTRY] = "/SHARE/PATH",
        [OF_HARD_LINK] = "/SHARE/PATH?restype=hardlink",
        [OF_SYMBOLIC_LINK] = "/SHARE/PATH?restype=symboliclink",
        [OF_ANYTHING] = "/...",
    };
    bool is_whole = true;
    for (const FilesOperation *row = files_operations; row->name; row++) {
        const char *scope = scopes[row->scope];
        printf("| %s | ", row->name);
        for (HttpMethod method = 0, count = 0; method < HTTP_METHOD_COUNT; method++)
            if (row->methods & 1u << method)
                printf("%s%s", count++ ? "/" : "", http_method_name(method));
        printf(" `%s%s%s`", scope,
               *row->comp == '\0'   ? ""
               : strchr(scope, '?') ? "&comp="
                                    : "?comp=",
               row->comp);
        if (row->header)
            printf(" with `%s`", row->header);
        printf(" | ");
        if (!row->handler)
            printf("%s", not_implemented);
        else
            is_whole &= print_answers(row->name, false);
        printf(" |\n");
    }
    return is_whole;
}

int main(int argc, char **argv)
{
    arena = arena_create();
    read_logs(argc - 1, argv + 1);
    printf("# Operations\n\nThe operations of the emulator, from its routing tables, and the "
           "status codes that the tests in tests/emu see.\nMade by `tools/operations.sh`: do not "
           "edit.\n");
    printf(
        "\n## Answers that surprise\n\n"
        "- `az batchai job wait` of a terminated job prints a traceback of az: the job has no "
        "`exitCode`, as recorded from the service, and az formats it as a number.\n"
        "- A PUT of a job that exists answers with the stored record: `queued`, without "
        "`executionInfo`, whatever the job does now. Its ETag does not change when it runs, ends "
        "or is terminated. Both as recorded.\n"
        "- `Retry-After: 1` is a decision of the emulator: the service sent none, and clients "
        "waited half a minute between two polls.\n"
        "- Batch AI has the one `api-version` in its heading. The Resource Manager's own "
        "operations "
        "and storage accounts accept each date in the past.\n"
        "- A command line that nothing describes is accepted, as the service did. It takes a time "
        "of the catalogue (service/unknown_program), and `serve --program`, `/trainyard/programs` "
        "or TRAINYARD_DURATION in the job say more; `serve --strict` refuses it.\n"
        "- After a jump of the clock was undone, connections are closed, and requests of that "
        "moment get 503 with `Retry-After`. Operations and resources that were dropped are "
        "unknown: 404.\n");
    print_heading("Batch AI, 2018-05-01");
    bool is_whole = print_arm_routes(batchai_routes);
    print_heading("Resource Manager and storage accounts");
    is_whole &= print_arm_routes(arm_routes);
    print_heading("Tokens");
    is_whole &= print_arm_routes(login_routes);
    print_heading("Azure Files");
    is_whole &= print_files_operations();
    print_heading("The emulator's own");
    is_whole &= print_control_routes(control_routes);
    is_whole &= print_control_routes(dashboard_routes);
    is_whole &= print_control_routes(health_routes);
    arena_destroy(arena);
    return is_whole ? 0 : 1;
}
