/* Whether the emulator's memory, state folder and start are in proportion to what exists, not to
 * what happened: makes and deletes entities over and over, in one process and without sockets.
 *
 *     bench_growth [-m] [PAIRS [KIND...]]     (default: all kinds)
 *
 * KIND: file job group resize cluster server share alive
 *
 * For each kind it prints how much the resident memory and the state folder have grown after PAIRS
 * pairs of creation and deletion (resize: to one node and back to none; the folder after an orderly
 * end), and how long a new process takes until the state is open again. "alive" makes PAIRS / 10
 * jobs and as many nodes that stay, and prints the whole memory. Bars are stated for 1,000,000
 * pairs; with fewer, growth is judged by the same rate, above an allowance for tables that grow in
 * steps. Exit code 1 when a bar is missed; -m judges memory alone. */
#define _XOPEN_SOURCE 700 // nftw

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emu/arm/storage.h"
#include "emu/emulator.h"
#include "emu/files/auth/auth.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "tests/support/temporary_folder.h"

#define BENCH_SUBSCRIPTION "/subscriptions/00000000-0000-0000-0000-000000000000"
#define BENCH_GROUP BENCH_SUBSCRIPTION "/resourceGroups/bench"
#define BENCH_WORKSPACE BENCH_GROUP "/providers/Microsoft.BatchAI/workspaces/w"
#define BENCH_DATE "Fri, 20 Nov 2026 17:00:16 GMT"

enum { REAL_UNIX_S = 1795194020, REQUESTS_A_COMMIT = 256, TARGET_BYTES = 256 };

typedef struct {
    Arena *arena;   /* of the emulator */
    Arena *request; /* of the present request */
    const char *folder;
    Emulator *emulator;
    const char *key; /* of the storage account */
    int64_t requests;
} Bench;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* --- What is measured --- */

static int64_t resident_bytes(void)
{
    long long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    invariant(file && fscanf(file, "%lld %lld", &pages, &resident) == 2);
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

static int64_t folder_total;

static int add_file(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)path, (void)place;
    folder_total += kind == FTW_F ? found->st_blocks * 512 : 0;
    return 0;
}

static int64_t folder_bytes(const Bench *bench)
{
    folder_total = 0;
    nftw(arena_printf(bench->arena, "%s/state", bench->folder), add_file, 8, FTW_PHYS);
    return folder_total;
}

/* --- The emulator --- */

static void open_emulator(Bench *bench)
{
    Problems problems = problems_create(bench->arena), warnings = problems_create(bench->arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net",
                                       .addresses = {"127.0.0.1:8443", "127.0.0.1:8080", ""}};
    bench->emulator = emulator_open(
        bench->arena, arena_printf(bench->arena, "%s/state", bench->folder),
        arena_printf(bench->arena, "%s/scenario.json", bench->folder), (ScenarioOverrides){0},
        &settings, (Clock){.kind = CLOCK_MANUAL}, &problems, &warnings);
    if (!bench->emulator) {
        fprintf(stderr, "bench_growth: %s\n", problems.items[0].message);
        exit(3);
    }
    emulator_tick(bench->emulator, 1, INT64_C(1000) * REAL_UNIX_S);
}

/* A round of the server. */
static void commit(Bench *bench)
{
    Status status = {0};
    emulator_tick(bench->emulator, now_ns(), INT64_C(1000) * REAL_UNIX_S);
    if (!emulator_commit(bench->emulator, &status)) {
        fprintf(stderr, "bench_growth: %s\n", status.message);
        exit(3);
    }
}

static void send_request(Bench *bench, HttpMethod method, const char *target, const char *query,
                         const char *body, HttpField *headers, int32_t header_count,
                         const char *account)
{
    HttpRequest request = {.arena = bench->request,
                           .listener = LISTENER_PLAIN,
                           .method = method,
                           .method_text = http_method_name(method),
                           .target = target,
                           .query_text = query,
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .headers = headers,
                           .header_count = header_count,
                           .body = body,
                           .body_bytes = strlen(body)};
    const bool is_read = http_read_query(&request, query);
    invariant(is_read);
    if (account) {
        const char *text = files_string_to_sign(&request, account, false);
        headers[request.header_count++] = (HttpField){
            "Authorization", arena_printf(bench->request, "SharedKey %s:%s", account,
                                          files_signature(&bench->emulator->azure_files,
                                                          bench->request, account, 0, text))};
    }
    HttpResponse response = http_response(200);
    emulator_handle(bench->emulator, &request, &response);
    if (response.status < 200 || response.status >= 300) {
        fprintf(stderr, "bench_growth: %s %s: %d %.*s\n", request.method_text, target,
                (int)response.status, (int)response.body_bytes, response.body ? response.body : "");
        exit(3);
    }
    if (response.source.free)
        response.source.free(response.source.owner);
    arena_reset(bench->request);
    if (++bench->requests % REQUESTS_A_COMMIT == 0)
        commit(bench);
}

static void manage(Bench *bench, HttpMethod method, const char *target, const char *body)
{
    HttpField token[] = {{"Authorization", "Bearer bench"}, {"Content-Type", "application/json"}};
    send_request(bench, method, target, "api-version=2018-05-01", body, token, 2, NULL);
}

static void files(Bench *bench, HttpMethod method, const char *target, const char *query)
{
    HttpField headers[10] = {
        {"x-ms-date", BENCH_DATE}, {"x-ms-version", "2021-06-08"}, {"Content-Length", "0"}};
    int32_t count = 3;
    if (method == HTTP_PUT && *query == '\0') {
        const HttpField smb[] = {{"x-ms-file-attributes", "None"},
                                 {"x-ms-file-creation-time", "now"},
                                 {"x-ms-file-last-write-time", "now"},
                                 {"x-ms-file-permission", "inherit"},
                                 {"x-ms-type", "file"},
                                 {"x-ms-content-length", "0"}};
        for (size_t i = 0; i < sizeof smb / sizeof *smb; i++)
            headers[count++] = smb[i];
    }
    send_request(bench, method, target, query, "", headers, count, "bench");
}

static void advance(Bench *bench, const char *by)
{
    manage(bench, HTTP_POST, "/trainyard/clock",
           arena_printf(bench->request, "{\"do\": \"advance\", \"by\": \"%s\"}", by));
}

static void set_up(Bench *bench, int64_t nodes)
{
    manage(bench, HTTP_PUT, BENCH_GROUP, "{\"location\": \"eastus\"}");
    manage(bench, HTTP_PUT, BENCH_WORKSPACE, "{\"location\": \"eastus\"}");
    manage(bench, HTTP_PUT, BENCH_GROUP "/providers/Microsoft.Storage/storageAccounts/bench",
           "{\"location\": \"eastus\", \"sku\": {\"name\": \"Standard_LRS\"}, \"kind\": "
           "\"StorageV2\"}");
    bench->key = arm_storage_key(&bench->emulator->arm, bench->arena, "bench", 0);
    files(bench, HTTP_PUT, "/bench/share", "restype=share");
    manage(bench, HTTP_PUT, BENCH_WORKSPACE "/clusters/c",
           arena_printf(bench->request,
                        "{\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
                        "{\"manual\": {\"targetNodeCount\": %" PRId64
                        "}}, \"userAccountSettings\": {\"adminUserName\": \"u\", "
                        "\"adminUserPassword\": \"p\"}, \"nodeSetup\": "
                        "{\"mountVolumes\": {\"azureFileShares\": [{\"accountName\": \"bench\", "
                        "\"azureFileUrl\": "
                        "\"https://bench.file.core.windows.net/share\", \"credentials\": "
                        "{\"accountKey\": \"%s\"}, "
                        "\"relativeMountPath\": \"afs\"}]}}}}",
                        nodes, bench->key));
    manage(bench, HTTP_PUT, BENCH_WORKSPACE "/experiments/e", "{}");
    advance(bench, "1h");
}

static void begin(Bench *bench, int64_t nodes)
{
    static const char text[] =
        "{\"trainyard\": 1, \"catalog\": [\"" TRAINYARD_SOURCE_DIR
        "/scenarios/catalog/azure-2018.json\", {\"catalog\": 1,"
        " \"description\": \"Room for a measurement.\", \"sources\": {\"here\": {\"title\": \"no "
        "subscription had so much\","
        " \"date\": \"2018\"}}, \"service\": {\"nodes_per_cluster\": {\"value\": 100000, "
        "\"source\": \"here\"}}}], \"quotas\": \"unlimited\","
        " \"programs\": [{\"match\": \"*\", \"duration\": \"1s\"}], \"setups\": [{\"match\": "
        "\"*\", \"duration\": \"0s\"}],"
        " \"commands\": []}";
    *bench = (Bench){.arena = arena_create(), .request = arena_create()};
    bench->folder = temporary_folder_create(bench->arena);
    temporary_file_write(bench->folder, "scenario.json", text, sizeof text - 1);
    open_emulator(bench);
    set_up(bench, nodes);
    commit(bench);
}

/* --- Pairs --- */

static void pair_file(Bench *bench, int64_t n)
{
    char target[TARGET_BYTES];
    snprintf(target, sizeof target, "/bench/share/f%" PRId64, n);
    files(bench, HTTP_PUT, target, "");
    advance(bench, "1s"); // the world learns of the file
    files(bench, HTTP_DELETE, target, "");
}

static void pair_cluster(Bench *bench, int64_t n)
{
    char target[TARGET_BYTES];
    snprintf(target, sizeof target, BENCH_WORKSPACE "/clusters/c%" PRId64, n);
    manage(bench, HTTP_PUT, target,
           "{\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": {\"manual\": "
           "{\"targetNodeCount\": 1}}, \"userAccountSettings\": {\"adminUserName\": \"u\", "
           "\"adminUserPassword\": \"p\"}}}");
    advance(bench, "1h"); // it has its node
    manage(bench, HTTP_DELETE, target, "");
    advance(bench, "1h"); // it is deleted
}

static void pair_server(Bench *bench, int64_t n)
{
    char target[TARGET_BYTES];
    snprintf(target, sizeof target, BENCH_WORKSPACE "/fileServers/s%" PRId64, n);
    manage(bench, HTTP_PUT, target,
           "{\"properties\": {\"vmSize\": \"STANDARD_D1\", \"sshConfiguration\": "
           "{\"userAccountSettings\": {\"adminUserName\": \"u\", \"adminUserPassword\": \"p\"}}, "
           "\"dataDisks\": {\"diskCount\": 2, \"diskSizeInGB\": 10, \"storageAccountType\": "
           "\"Standard_LRS\"}}}");
    advance(bench, "1h");
    manage(bench, HTTP_DELETE, target, "");
    advance(bench, "1h");
}

static void pair_share(Bench *bench, int64_t n)
{
    char target[TARGET_BYTES];
    snprintf(target, sizeof target, "/bench/share%" PRId64, n);
    files(bench, HTTP_PUT, target, "restype=share");
    advance(bench, "1s");
    files(bench, HTTP_DELETE, target, "restype=share");
    advance(bench, "1s");
}

static void put_job(Bench *bench, const char *target, const char *logs)
{
    manage(bench, HTTP_PUT, target,
           arena_printf(bench->request,
                        "{\"properties\": {\"cluster\": {\"id\": \"" BENCH_WORKSPACE
                        "/clusters/c\"}, \"nodeCount\": 1, "
                        "\"stdOutErrPathPrefix\": \"%s\", \"customToolkitSettings\": "
                        "{\"commandLine\": \"true\"}}}",
                        logs));
}

static void pair_job(Bench *bench, int64_t n)
{
    char target[TARGET_BYTES];
    snprintf(target, sizeof target, BENCH_WORKSPACE "/experiments/e/jobs/j%" PRId64, n);
    put_job(bench, target, "/mnt/logs"); // on a share they would outlive it
    advance(bench, "3m");                // it has run
    manage(bench, HTTP_DELETE, target, "");
    advance(bench, "3m"); // it is deleted
}

static void pair_group(Bench *bench, int64_t n)
{
    char target[TARGET_BYTES];
    snprintf(target, sizeof target, BENCH_SUBSCRIPTION "/resourceGroups/g%" PRId64, n);
    manage(bench, HTTP_PUT, target, "{\"location\": \"eastus\"}");
    manage(bench, HTTP_DELETE, target, "");
}

static void pair_resize(Bench *bench, int64_t n)
{
    (void)n;
    manage(bench, HTTP_PATCH, BENCH_WORKSPACE "/clusters/c",
           "{\"properties\": {\"scaleSettings\": {\"manual\": {\"targetNodeCount\": 1}}}}");
    advance(bench, "1h");
    manage(bench, HTTP_PATCH, BENCH_WORKSPACE "/clusters/c",
           "{\"properties\": {\"scaleSettings\": {\"manual\": {\"targetNodeCount\": 0}}}}");
    advance(bench, "1h");
}

typedef struct {
    const char *name;
    int64_t nodes; /* of the cluster meanwhile */
    void (*pair)(Bench *bench, int64_t n);
} Kind;

static const Kind kinds[] = {
    {"file", 0, pair_file},     {"job", 1, pair_job},         {"group", 0, pair_group},
    {"resize", 0, pair_resize}, {"cluster", 0, pair_cluster}, {"server", 0, pair_server},
    {"share", 0, pair_share},
};

/* --- Reporting --- */

static bool is_missed, judges_memory_alone;

static void print_cell(const char *name, double value, const char *unit, double bar)
{
    printf("  %s %.2f %s (bar %.2f%s)", name, value, unit, bar, value <= bar ? "" : ", MISSED");
    is_missed |= value > bar && (!judges_memory_alone || strcmp(name, "memory") == 0);
}

/* Milliseconds until a new process has the state open. */
static double ready_ms(const char *program, const Bench *bench)
{
    char text[64] = "";
    int ends[2];
    invariant(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", program, "--open", bench->folder, (char *)NULL);
        _exit(3);
    }
    close(ends[1]);
    const ssize_t length = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    int ended;
    waitpid(child, &ended, 0);
    invariant(length > 0 && ended == 0);
    return strtod(text, NULL);
}

static int open_again(const char *folder)
{
    Bench bench = {.arena = arena_create(), .request = arena_create(), .folder = folder};
    const int64_t begun_ns = now_ns();
    open_emulator(&bench);
    printf("%.3f\n", (double)(now_ns() - begun_ns) / 1e6);
    return 0;
}

static void end(Bench *bench)
{
    Status status = {0};
    const bool is_at_rest = emulator_rest(bench->emulator, &status);
    invariant(is_at_rest);
    emulator_close(bench->emulator);
}

static void run_kind(const char *program, const Kind *kind, int64_t pairs)
{
    const double share = (double)pairs / 1e6, mb = 1e6;
    Bench bench;
    begin(&bench, kind->nodes);
    const int64_t warm = pairs < 2000 ? pairs : 2000;
    for (int64_t i = 0; i < warm; i++)
        kind->pair(&bench, i);
    commit(&bench);
    snapshots_rest(bench.emulator, true);
    store_checkpoint(bench.emulator->store);
    const int64_t resident = resident_bytes(), folder = folder_bytes(&bench), begun_ns = now_ns();
    for (int64_t i = 0; i < pairs; i++)
        kind->pair(&bench, warm + i);
    commit(&bench);
    const double seconds = (double)(now_ns() - begun_ns) / 1e9;
    const double more_mb = (double)(resident_bytes() - resident) / mb;
    end(&bench);
    const double folder_mb = (double)(folder_bytes(&bench) - folder) / mb;
    printf("%-7s %8" PRId64 " pairs in %6.1f s:", kind->name, pairs, seconds);
    print_cell("memory", more_mb, "MB", 4 + 4 * share);
    print_cell("folder", folder_mb, "MB", 1 + 16 * share);
    print_cell("ready", ready_ms(program, &bench), "ms", 100);
    printf("\n");
    fflush(stdout);
    temporary_folder_remove(bench.folder);
    arena_destroy(bench.request);
    arena_destroy(bench.arena);
}

static void run_alive(const char *program, int64_t count)
{
    const double share = (double)count / 1e5;
    Bench bench;
    const int64_t begun_ns = now_ns();
    begin(&bench, count);
    for (int64_t i = 0; i < count; i++) {
        char target[TARGET_BYTES];
        snprintf(target, sizeof target, BENCH_WORKSPACE "/experiments/e/jobs/j%" PRId64, i);
        put_job(&bench, target, "$AZ_BATCHAI_MOUNT_ROOT/afs");
    }
    advance(&bench, "1m");
    commit(&bench);
    const double resident_mb = (double)resident_bytes() / 1e6;
    const double seconds = (double)(now_ns() - begun_ns) / 1e9;
    end(&bench);
    printf("%-7s %8" PRId64 " jobs, nodes in %.1f s:", "alive", count, seconds);
    print_cell("memory", resident_mb, "MB", 20 + 230 * share);
    print_cell("ready", ready_ms(program, &bench), "ms", 50 + 950 * share);
    printf("\n");
    temporary_folder_remove(bench.folder);
    arena_destroy(bench.request);
    arena_destroy(bench.arena);
}

static bool is_asked(int argc, char **argv, const char *kind)
{
    bool is_found = argc <= 2;
    for (int i = 2; i < argc; i++)
        is_found |= strcmp(argv[i], kind) == 0;
    return is_found;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--open") == 0)
        return open_again(argv[2]);
    judges_memory_alone = argc > 1 && strcmp(argv[1], "-m") == 0;
    argc -= judges_memory_alone;
    argv += judges_memory_alone;
    const int64_t pairs = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000000;
    if (pairs < 1) {
        fprintf(stderr, "usage: bench_growth [-m] [PAIRS [KIND...]]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_asked(argc, argv, kinds[i].name))
            run_kind(argv[0], &kinds[i], pairs);
    if (is_asked(argc, argv, "alive"))
        run_alive(argv[0], pairs / 10 > 0 ? pairs / 10 : 1);
    return is_missed ? 1 : 0;
}
