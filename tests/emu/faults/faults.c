#define _DEFAULT_SOURCE // MAP_ANONYMOUS
/* The emulator on a disk that fails (disk.h), driven by clients that know what was acknowledged.
 *
 *     emu_faults [--first SEED] [--seeds N] [--seconds S] [--jobs N] [--verbose]
 *
 * Each seed is one life of a state folder: rounds of requests, each ended by a commit, as the
 * server does; power cuts at any change of any file, also while the emulator starts again; EIO and
 * ENOSPC, short reads and writes; disks that acknowledge fsync and lose it; bits that flip. Answers
 * may be lost with the connection. After each start, all files and groups are read. Acknowledged
 * writes must be there, a round that was under way completely or not at all, and bytes that were
 * never written must not. A disk that acknowledges an fsync without it may have lost any page of the database: the emulator
 * must start, recover, or say why it cannot.
 *
 * No thread, clock or socket takes part, so a seed repeats its failure. Prints "N passed, M
 * failed"; exit code 1 with the seeds that failed. */
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <stdarg.h>

#include "emu/arm/storage.h"
#include "emu/emulator.h"
#include "emu/files/auth/auth.h"
#include "sim/base/checksum.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "tests/emu/faults/disk.h"
#include "tests/support/temporary_folder.h"

enum { FILES = 4, GROUPS = 3, BYTES_MAX = 50000, ROUNDS = 6, REQUESTS_MAX = 4, VERSIONS = 512 };

/* --- What clients know --- */

typedef struct {
    bool is_there;
    int32_t length;
    char bytes[BYTES_MAX];
} KnownFile;

typedef struct {
    KnownFile files[FILES];
    bool groups[GROUPS];
} Known;

typedef enum { DISK_CUTS, DISK_FAILS, DISK_LIES, DISK_FLIPS, DISK_KINDS } DiskKind;

static struct {
    uint64_t seed;
    bool is_verbose;
    DiskKind kind;
    bool has_lied; /* acknowledged writes may be lost from here on */
    Arena *arena, *request;
    const char *root;
    Emulator *emulator;
    int64_t machine_ns;
    Known known, doubt; /* acknowledged; and with the round under way */
    bool is_doubtful;
    uint64_t versions[FILES][VERSIONS]; /* checksums of all that a file has ever had */
    int version_count[FILES];
    bool has_failed;
    char failure[600];
} life;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void fail(const char *format, ...)
{
    va_list values;
    if (life.has_failed)
        return;
    life.has_failed = true;
    va_start(values, format);
    vsnprintf(life.failure, sizeof life.failure, format, values);
    va_end(values);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    va_list values;
    if (!life.is_verbose)
        return;
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
    fflush(stdout);
}

static void add_version(int file, const KnownFile *is)
{
    int *count = &life.version_count[file];
    if (*count < VERSIONS)
        life.versions[file][(*count)++] = checksum(is->bytes, (size_t)is->length);
}

static bool is_version(int file, const char *bytes, size_t length)
{
    const uint64_t sum = checksum(bytes, length);
    for (int i = 0; i < life.version_count[file]; i++)
        if (life.versions[file][i] == sum)
            return true;
    return false;
}

/* --- Requests --- */

typedef struct {
    int32_t status;
    const char *code, *body;
    size_t length;
} Answer;

static const char date[] = "Fri, 20 Nov 2026 17:00:16 GMT";
static const int64_t real_unix_ms = INT64_C(1795194020000);

static const char *read_answer(const HttpResponse *response, size_t *length)
{
    if (!response->source.read) {
        *length = response->body_bytes;
        return response->body ? response->body : "";
    }
    char *bytes = arena_alloc(life.request, (size_t)response->source_bytes + 1);
    int64_t used = 0;
    while (used < response->source_bytes) {
        const int64_t got = response->source.read(response->source.owner, used, bytes + used,
                                                  (size_t)(response->source_bytes - used));
        if (got <= 0)
            break; // the connection is cut
        used += got;
    }
    *length = (size_t)used;
    return bytes;
}

static Answer ask(HttpMethod method, const char *target, const char *query, HttpField *headers,
                  int32_t count, const char *body, size_t length, bool is_signed)
{
    HttpRequest request = {.arena = life.request,
                           .listener = LISTENER_PLAIN,
                           .method = method,
                           .method_text = http_method_name(method),
                           .target = target,
                           .query_text = query,
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .headers = headers,
                           .header_count = count,
                           .body = body,
                           .body_bytes = length};
    if (!http_read_query(&request, query))
        abort();
    if (is_signed) {
        const char *text = files_string_to_sign(&request, "acct", false);
        const char *code =
            files_signature(&life.emulator->azure_files, life.request, "acct", 0, text);
        headers[request.header_count++] =
            (HttpField){"Authorization", arena_printf(life.request, "SharedKey acct:%s", code)};
    }
    HttpResponse response = http_response(200);
    emulator_handle(life.emulator, &request, &response);
    Answer answer = {.status = response.status, .code = http_get(&response, "x-ms-error-code")};
    answer.body = read_answer(&response, &answer.length);
    answer.code = answer.code ? arena_strdup(life.request, answer.code) : "";
    if (response.source.free)
        response.source.free(response.source.owner);
    say("  %s %s?%s %d %s%s", request.method_text, target, query, answer.status, answer.code,
        disk_is_cut() ? " (cut)" : "");
    return answer;
}

static Answer ask_files(HttpMethod method, int file, const char *query, const HttpField *more,
                        int32_t more_count, const char *body, size_t length)
{
    HttpField headers[16] = {{"x-ms-date", date},
                             {"x-ms-version", "2021-06-08"},
                             {"Content-Length", arena_printf(life.request, "%zu", length)}};
    int32_t count = 3;
    for (int32_t i = 0; i < more_count; i++)
        headers[count++] = more[i];
    return ask(method, arena_printf(life.request, "/acct/share/f%d", file), query, headers, count,
               body, length, true);
}

static Answer ask_group(HttpMethod method, int group)
{
    HttpField headers[] = {{"Authorization", "Bearer x"}, {"Content-Type", "application/json"}};
    const char *body = method == HTTP_PUT ? "{\"location\": \"eastus\"}" : "";
    return ask(method,
               arena_printf(life.request,
                            "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/"
                            "g%d",
                            group),
               "api-version=2018-05-01", headers, 2, body, strlen(body), false);
}

/* Whether an answer is that of success. Others are allowed where the disk fails. */
static bool succeeds(Answer answer, const char *what)
{
    const bool may_fail = life.kind != DISK_CUTS || disk_is_cut();
    if (answer.status >= 200 && answer.status < 300)
        return true;
    if (answer.status < 500 || !may_fail)
        fail("%s: %d %s", what, answer.status, answer.code);
    return false;
}

/* --- Operations, and their effect on the known state --- */

static void create_file(Known *known, int number)
{
    KnownFile *file = &known->files[number];
    const int32_t length = (int32_t)disk_draw(4) == 0 ? 10 : (int32_t)disk_draw(BYTES_MAX);
    const HttpField headers[] = {
        {"x-ms-type", "file"},
        {"x-ms-content-length", arena_printf(life.request, "%" PRId32, length)}};
    if (!succeeds(ask_files(HTTP_PUT, number, "", headers, 2, "", 0), "create"))
        return;
    memset(file->bytes, 0, sizeof file->bytes);
    file->is_there = true;
    file->length = length;
    add_version(number, file);
}

static void put_range(Known *known, int number)
{
    KnownFile *file = &known->files[number];
    if (!file->is_there || file->length == 0) {
        create_file(known, number);
        return;
    }
    const int32_t first = (int32_t)disk_draw((uint64_t)file->length);
    int32_t length = 1 + (int32_t)disk_draw((uint64_t)(file->length - first));
    if (disk_draw(2) == 0 && length > 600)
        length = 600;
    const bool clears = disk_draw(6) == 0;
    char *bytes = arena_alloc(life.request, (size_t)length);
    for (int32_t i = 0; i < length; i++)
        bytes[i] = clears ? 0 : (char)('a' + disk_draw(26));
    const HttpField headers[] = {
        {"x-ms-write", clears ? "clear" : "update"},
        {"x-ms-range",
         arena_printf(life.request, "bytes=%" PRId32 "-%" PRId32, first, first + length - 1)}};
    if (!succeeds(ask_files(HTTP_PUT, number, "comp=range", headers, 2, bytes,
                            clears ? 0 : (size_t)length),
                  "put range"))
        return;
    memcpy(file->bytes + first, bytes, (size_t)length);
    add_version(number, file);
}

static void resize_file(Known *known, int number)
{
    KnownFile *file = &known->files[number];
    if (!file->is_there)
        return;
    const int32_t length = (int32_t)disk_draw(BYTES_MAX);
    const HttpField headers[] = {
        {"x-ms-content-length", arena_printf(life.request, "%" PRId32, length)},
        {"x-ms-file-attributes", "preserve"},
        {"x-ms-file-creation-time", "preserve"},
        {"x-ms-file-last-write-time", "preserve"},
        {"x-ms-file-permission", "preserve"}};
    if (!succeeds(ask_files(HTTP_PUT, number, "comp=properties", headers, 5, "", 0), "resize"))
        return;
    if (length < file->length)
        memset(file->bytes + length, 0, (size_t)(file->length - length));
    file->length = length;
    add_version(number, file);
}

static void copy_file(Known *known, int number)
{
    const int from = (int)disk_draw(FILES);
    if (!known->files[from].is_there || from == number)
        return;
    const HttpField headers[] = {
        {"x-ms-copy-source",
         arena_printf(life.request, "http://127.0.0.1:8080/acct/share/f%d", from)}};
    if (!succeeds(ask_files(HTTP_PUT, number, "", headers, 1, "", 0), "copy"))
        return;
    known->files[number] = known->files[from];
    add_version(number, &known->files[number]);
}

static void delete_file(Known *known, int number)
{
    if (!known->files[number].is_there)
        return;
    if (succeeds(ask_files(HTTP_DELETE, number, "", NULL, 0, "", 0), "delete"))
        known->files[number] = (KnownFile){0};
}

static void change_group(Known *known, int group)
{
    const bool is_there = known->groups[group];
    if (succeeds(ask_group(is_there ? HTTP_DELETE : HTTP_PUT, group), "group"))
        known->groups[group] = !is_there;
}

/* Whether the file is as known. Sets the failure if not, unless `is_quiet`. */
static bool check_file(const Known *known, int number, bool is_quiet)
{
    const KnownFile *file = &known->files[number];
    const Answer answer = ask_files(HTTP_GET, number, "", NULL, 0, "", 0);
    const bool has_bytes = answer.status == 200;
    if (answer.status >= 500)
        return succeeds(answer, "read") || !life.has_failed;
    if (has_bytes && !life.has_lied && !is_version(number, answer.body, answer.length)) {
        fail("file %d has bytes that were never written (%zu)", number, answer.length);
        return false;
    }
    if (life.has_lied)
        return true;
    const bool is_same = has_bytes == file->is_there &&
                         (!has_bytes || (answer.length == (size_t)file->length &&
                                         memcmp(answer.body, file->bytes, answer.length) == 0));
    if (!is_same && !is_quiet)
        fail("file %d: %d with %zu bytes instead of %s with %d", number, answer.status,
             answer.length, file->is_there ? "200" : "404", (int)file->length);
    return is_same;
}

static bool check_group(const Known *known, int group, bool is_quiet)
{
    const int32_t status = ask_group(HTTP_HEAD, group).status;
    const bool is_same = status == (known->groups[group] ? 204 : 404) || life.has_lied ||
                         (status >= 500 && life.kind == DISK_FAILS);
    if (!is_same && !is_quiet)
        fail("group %d: %d, expected %d", group, status, known->groups[group] ? 204 : 404);
    return is_same;
}

static bool check_all(const Known *known, bool is_quiet)
{
    bool is_same = true;
    for (int i = 0; i < FILES && !life.has_failed; i++)
        is_same = check_file(known, i, is_quiet) && is_same;
    for (int i = 0; i < GROUPS && !life.has_failed; i++)
        is_same = check_group(known, i, is_quiet) && is_same;
    return is_same;
}

/* --- The server's part --- */

static const char *folder_of(const char *name)
{
    return arena_printf(life.arena, "%s/%s", life.root, name);
}

/* False with the first problem in `why`. */
static bool open_emulator(bool recovers, char *why, size_t room)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net",
                                       .addresses = {"127.0.0.1:8443", "127.0.0.1:8080", ""},
                                       .recovers = recovers};
    life.emulator = emulator_open(life.arena, folder_of("disk/state"), folder_of("scenario.json"),
                                  (ScenarioOverrides){0}, &settings, (Clock){.kind = CLOCK_MANUAL},
                                  &problems, &warnings);
    snprintf(why, room, "%s", problems.count > 0 ? problems.items[0].message : "");
    arena_destroy(arena);
    if (!life.emulator)
        return false;
    emulator_tick(life.emulator, ++life.machine_ns, real_unix_ms);
    return true;
}

static DiskFaults faults_of_kind(void)
{
    DiskFaults faults = {0};
    if (life.kind == DISK_FAILS)
        faults = (DiskFaults){.errors = disk_draw(3) == 0 ? 0.05 : 0.005, .shorts = 0.02};
    if (life.kind == DISK_LIES)
        faults.lies = 0.3;
    return faults;
}

/* Opens the emulator again, on a disk that may fail while it does. In the end it must open. */
static void open_again(void)
{
    char why[400];
    bool is_given_up = false; // such a disk may have lost the scenario itself
    for (int attempt = 0; !life.emulator && !life.has_failed && !is_given_up; attempt++) {
        DiskFaults faults = {0};
        if (attempt < 3 && disk_draw(3) == 0) {
            faults = faults_of_kind();
            faults.cut_at = disk_draw(2) == 0 ? 1 + (int64_t)disk_draw(20) : 0;
        }
        disk_set(faults);
        const bool is_open = open_emulator(false, why, sizeof why);
        const bool is_cut = disk_is_cut();
        say("open: %s%s", is_open ? "ok" : why, is_cut ? " (cut)" : "");
        disk_set((DiskFaults){0});
        if (is_cut) {
            emulator_close(life.emulator);
            life.emulator = NULL;
            life.has_lied = life.has_lied || life.kind == DISK_LIES;
            disk_restart();
        } else if (!is_open && life.has_lied) {
            is_given_up = !open_emulator(true, why, sizeof why);
            if (is_given_up && strstr(why, "malformed"))
                fail("it does not recover: %s", why);
        } else if (!is_open && faults.errors == 0) {
            fail("it does not open: %s", why);
        }
    }
}

/* After a disk has lost writes, its state is the one that clients know. A damaged file is deleted.
 */
static void adopt_all(void)
{
    for (int i = 0; i < FILES && !life.has_failed; i++) {
        KnownFile *file = &life.known.files[i];
        const Answer answer = ask_files(HTTP_GET, i, "", NULL, 0, "", 0);
        *file = (KnownFile){.is_there = answer.status == 200};
        if (answer.status >= 500)
            (void)succeeds(ask_files(HTTP_DELETE, i, "", NULL, 0, "", 0), "delete");
        if (file->is_there && answer.length <= BYTES_MAX) {
            file->length = (int32_t)answer.length;
            memcpy(file->bytes, answer.body, answer.length);
        }
    }
    for (int i = 0; i < GROUPS && !life.has_failed; i++)
        life.known.groups[i] = ask_group(HTTP_HEAD, i).status == 204;
}

/* After a start: what is there? */
static void find_out(void)
{
    if (life.has_failed || !life.emulator)
        return;
    if (life.is_doubtful && check_all(&life.doubt, true))
        life.known = life.doubt;
    else
        check_all(&life.known, false);
    life.is_doubtful = false;
    if (life.has_lied)
        adopt_all();
    life.has_lied = false;
}

/* Ends the process: by a power cut, or after a commit that has failed. */
static void restart(bool is_cut)
{
    if (is_cut)
        disk_cut();
    life.has_lied = life.has_lied || (life.kind == DISK_LIES && is_cut);
    emulator_close(life.emulator);
    life.emulator = NULL;
    if (is_cut)
        disk_restart();
    if (life.kind == DISK_FLIPS && disk_draw(2) == 0)
        (void)disk_flip("/contents/");
    open_again();
    find_out();
}

static void one_request(Known *after)
{
    static void (*const operations[])(Known *, int) = {
        create_file, put_range, put_range, put_range, resize_file, copy_file, delete_file};
    const uint64_t count = sizeof operations / sizeof *operations;
    const uint64_t what = disk_draw(count + 2);
    const int file = (int)disk_draw(FILES);
    if (what < count)
        operations[what](after, file);
    else if (what == count)
        change_group(after, (int)disk_draw(GROUPS));
    else
        check_file(after, file, false);
}

/* Requests and their commit. */
static void one_round(void)
{
    Status status = {0};
    DiskFaults faults = faults_of_kind();
    if (disk_draw(4) == 0)
        faults.cut_at = 1 + (int64_t)disk_draw(40);
    disk_set(faults);
    life.machine_ns += disk_draw(4) == 0 ? 2 * NS_PER_S : NS_PER_MS;
    emulator_tick(life.emulator, life.machine_ns, real_unix_ms);
    life.doubt = life.known;
    life.is_doubtful = true;
    for (uint64_t i = 1 + disk_draw(REQUESTS_MAX); i > 0 && !disk_is_cut() && !life.has_failed; i--)
        one_request(&life.doubt);
    const bool is_kept =
        !store_is_dirty(life.emulator->store) || emulator_commit(life.emulator, &status);
    const bool is_cut = disk_is_cut();
    if (!is_kept || is_cut)
        life.has_failed = false; // no answer of this round is sent
    say("commit: %s%s", is_kept ? "ok" : status.message, is_cut ? " (cut)" : "");
    disk_set((DiskFaults){0});
    if (!is_kept && !is_cut && life.kind != DISK_FAILS)
        fail("a commit has failed: %s", status.message);
    if (is_kept && !is_cut) {
        life.known = life.doubt;
        life.is_doubtful = false;
    }
    if (!is_kept || is_cut)
        restart(is_cut);
    else if (disk_draw(8) == 0)
        restart(disk_draw(2) == 0);
    arena_reset(life.request);
}

/* --- A life --- */

static void begin_life(uint64_t seed)
{
    static const char scenario[] =
        "{\"trainyard\": 1, \"seed\": 7, \"region\": \"eastus\", \"catalog\": "
        "[\"" TRAINYARD_SOURCE_DIR
        "/tests/emu/faults/catalog.json\"], \"storage\": [{\"account\": \"acct\", \"shares\": "
        "[{\"name\": \"share\"}]}], \"commands\": []}";
    char why[400];
    const bool is_verbose = life.is_verbose;
    memset(&life, 0, sizeof life);
    life.is_verbose = is_verbose;
    life.seed = seed;
    life.kind = (DiskKind)(seed % DISK_KINDS);
    life.arena = arena_create();
    life.request = arena_create();
    life.root = temporary_folder_create(life.arena);
    temporary_file_write(life.root, "scenario.json", scenario, sizeof scenario - 1);
    if (!folder_create(folder_of("disk"), &(Status){0}))
        abort();
    disk_begin(folder_of("disk"), seed);
    if (!open_emulator(false, why, sizeof why))
        fail("the first start: %s", why);
    disk_settle();
}

/* Whether the seed has passed. */
static bool live(uint64_t seed, uint64_t *history)
{
    begin_life(seed);
    for (int i = 0; i < ROUNDS && !life.has_failed && life.emulator; i++)
        one_round();
    if (life.emulator && !life.has_failed)
        restart(true);
    *history = disk_history();
    emulator_close(life.emulator);
    disk_end();
    temporary_folder_remove(life.root);
    arena_destroy(life.request);
    arena_destroy(life.arena);
    if (life.has_failed)
        printf("seed %" PRIu64 " failed: %s\n", seed, life.failure);
    fflush(stdout);
    return !life.has_failed;
}

/* --- The program --- */

static void name_seed(int signal_number)
{
    char line[80];
    const int length = snprintf(line, sizeof line, "seed %" PRIu64 " failed: signal %d\n",
                                life.seed, signal_number);
    (void)!write(STDOUT_FILENO, line, (size_t)length);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef struct {
    uint64_t first, seeds, jobs;
    double seconds;
} Options;

static bool read_options(int argc, char **argv, Options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--verbose") == 0) {
            life.is_verbose = true;
            continue;
        }
        if (strcmp(argv[i], "--first") == 0)
            options->first = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seeds") == 0)
            options->seeds = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--jobs") == 0)
            options->jobs = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            options->seconds = strtod(value, NULL);
        else
            return false;
        i++;
    }
    return options->jobs > 0;
}

/* Every `jobs`th seed from this one on. */
static void work(const Options *options, uint64_t first, volatile uint64_t counts[2])
{
    uint64_t history = 0;
    const double begin_s = now_s();
    for (uint64_t seed = first;
         seed < options->first + options->seeds && now_s() - begin_s < options->seconds;
         seed += options->jobs)
        counts[live(seed, &history) ? 0 : 1]++;
    if (options->seeds == 1)
        printf("history %016" PRIx64 "\n", history);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    Options options = {.seeds = 2000, .jobs = 2, .seconds = 1e9};
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "usage: %s [--first SEED] [--seeds N] [--seconds S] [--jobs N] [--verbose]\n",
                argv[0]);
        return 2;
    }
    // Memory of one life is used again for the next: giving it back took half of the time.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    signal(SIGABRT, name_seed);
    signal(SIGSEGV, name_seed);
    if (!life.is_verbose && !freopen("/dev/null", "w", stderr)) // damage that the seeds make
        return 3;
    uint64_t(*const counts)[2] = mmap(NULL, options.jobs * sizeof *counts, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const double begin_s = now_s();
    for (uint64_t i = 0; i < options.jobs; i++)
        if (fork() == 0) {
            work(&options, options.first + i, counts[i]);
            _exit(0);
        }
    uint64_t passed = 0, failed = 0;
    int state;
    while (wait(&state) > 0)
        failed += state != 0; // it has named the seed
    for (uint64_t i = 0; i < options.jobs; i++) {
        passed += counts[i][0];
        failed += counts[i][1];
    }
    printf("%.1f s\n%" PRIu64 " passed, %" PRIu64 " failed\n", now_s() - begin_s, passed, failed);
    return failed > 0;
}
