#include "tools/trainyard/policy/policy_file.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#include "sim/base/checksum.h"
#include "sim/base/file_source.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/streams.h"
#include "tools/trainyard/policy/policy_guard.h"

static void fail(const char *path, Status *status, const char *why)
{
    status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0), "%s", why);
}

/* The loader's reason without the path, with which it begins. */
static const char *loader_reason(const char *path)
{
    const char *reason = dlerror();
    const size_t length = strlen(path);
    if (strncmp(reason, path, length) == 0 && reason[length] == ':')
        reason += length + 1;
    return reason + strspn(reason, " ");
}

/* Finds both names of the header. */
static trainyard_policy_function *find(void *library, const char *path, Status *status)
{
    const uint32_t *abi = dlsym(library, "trainyard_policy_abi");
    trainyard_policy_function *choose;
    void *symbol = dlsym(library, "trainyard_policy_choose");
    if (abi == NULL || symbol == NULL) {
        status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0), "the shared object has no %s",
                    abi == NULL ? "trainyard_policy_abi" : "trainyard_policy_choose");
        status_hint(status, "TRAINYARD_POLICY(view) of trainyard_policy.h defines both names");
        return NULL;
    }
    if (*abi != TRAINYARD_POLICY_ABI) {
        status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                    "the policy is made for version %u of trainyard_policy.h, expected %d",
                    (unsigned)*abi, TRAINYARD_POLICY_ABI);
        status_hint(status, "compile it with the header of this trainyard");
        return NULL;
    }
    memcpy(&choose, &symbol, sizeof choose); // POSIX: a function's address may be a void *
    return choose;
}

/* Whether trainyard has a policy of that name itself. */
static bool is_builtin(const char *name)
{
    for (int kind = 0; kind < POLICY_COUNT; kind++)
        if (strcmp(policy_of((PolicyKind)kind)->name, name) == 0)
            return true;
    return false;
}

bool policy_file_load(Arena *arena, const char *path, PolicyFile *policy, Status *status)
{
    const char *bytes;
    size_t length;
    // Read first: its problems are those of any file, and its checksum is an input of the run.
    if (!disk_files.read(disk_files.context, arena, path, &bytes, &length, status)) {
        if (is_builtin(path))
            status_hint(status, "trainyard's own policies are set so: --set '/policy=\"%s\"'",
                        path);
        return false;
    }
    // Without a slash the loader would look in the folders of libraries.
    const char *here = strchr(path, '/') != NULL ? path : arena_printf(arena, "./%s", path);
    if (!streams_divide(status))
        return false;
    void *library = policy_guard_load(path, here);
    if (library == NULL) {
        fail(path, status, loader_reason(here));
        return status_hint(status,
                           "cc -std=c11 -O2 -shared -fPIC -o mine.so mine.c makes a shared object");
    }
    trainyard_policy_function *choose = find(library, path, status);
    if (choose == NULL)
        return false;
    *policy = (PolicyFile){.path = path,
                           .checksum = arena_printf(arena, "%016" PRIx64, checksum(bytes, length)),
                           .outside = policy_outside_of(arena, policy_guard_around(choose))};
    return true;
}

StudyPolicy *policy_file_of_study(Arena *arena, const char *path, Problems *problems)
{
    PolicyFile file;
    Status status = {0};
    if (policy_file_load(arena, path, &file, &status))
        return study_policy_create(arena, path, file.checksum, file.outside.choose);
    problems_add_status(problems, &status);
    return NULL;
}

void policy_file_give(Arena *arena, PolicyFile *policy, Scenario *scenario)
{
    RunGiven *given = &scenario->given;
    GivenPair *files = ARENA_ARRAY(arena, GivenPair, given->file_count + 1);
    if (given->file_count > 0)
        memcpy(files, given->files, given->file_count * sizeof *files);
    files[given->file_count++] =
        (GivenPair){policy->path + path_folder_length(policy->path), policy->checksum};
    given->files = files;
    scenario->policy = POLICY_OUTSIDE;
    scenario->outside = &policy->outside;
}

bool policy_file_check(const PolicyFile *policy, Status *status)
{
    return !policy->outside.fault.is_set ||
           policy_fault_refuse(&policy->outside.fault, policy->path, status);
}
