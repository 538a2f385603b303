#include "tests/support/memory_files.h"

#include <check.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/files.h"

const char small_scenario_text[] =
    "{\n"
    "  \"trainyard\": 1,\n"
    "  \"catalog\": [\"catalog/azure-2018.json\"],\n"
    "  \"storage\": [{\"account\": \"acc\", \"shares\": [\n"
    "    {\"name\": \"data\", \"files\": {\"train.py\": {\"bytes\": \"1kB\"}}}]}],\n"
    "  \"programs\": [{\"match\": \"*/train.py\", \"model\": \"keras_cifar10_cnn\",\n"
    "    \"data_set\": \"cifar10\", \"framework\": \"keras-2.2-tf-1.8\",\n"
    "    \"exchange\": \"horovod-0.13-mpi\", \"learning\": \"keras_cifar10_cnn\",\n"
    "    \"batch_per_rank\": 32, \"epochs\": \"ceil(4/ranks)\",\n"
    "    \"save\": {\"path\": \"$AZ_BATCHAI_OUTPUT_MODEL/model.h5\", \"bytes\": \"5MB\"}}],\n"
    "  \"commands\": [\n"
    "    {\"do\": \"cluster.create\", \"name\": \"gpu\", \"config\": \"cluster.json\"},\n"
    "    {\"do\": \"job.create\", \"name\": \"train\", \"cluster\": \"gpu\", \"config\": "
    "\"job.json\"},\n"
    "    {\"after\": \"job train completed + 1m\", \"do\": \"cluster.delete\", \"name\": \"gpu\"}\n"
    "  ],\n"
    "  \"expect\": [{\"job\": \"train\", \"state\": \"succeeded\"}]\n"
    "}\n";

const char small_cluster_text[] = "{\"properties\": {\n"
                                  "  \"vmSize\": \"STANDARD_NC6\",\n"
                                  "  \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}}\n"
                                  "}}\n";

const char small_job_text[] =
    "{\"properties\": {\n"
    "  \"nodeCount\": 2,\n"
    "  \"horovodSettings\": {\n"
    "    \"pythonScriptFilePath\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/train.py\",\n"
    "    \"commandLineArgs\": \"--out $AZ_BATCHAI_OUTPUT_MODEL\"},\n"
    "  \"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs\",\n"
    "  \"outputDirectories\": [{\"id\": \"MODEL\",\n"
    "    \"pathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data\", \"pathSuffix\": \"models\"}],\n"
    "  \"mountVolumes\": {\"azureFileShares\": [{\n"
    "    \"azureFileUrl\": "
    "\"https://<AZURE_BATCHAI_STORAGE_ACCOUNT>.file.core.windows.net/data\",\n"
    "    \"relativeMountPath\": \"data\"}]},\n"
    "  \"containerSettings\": {\"imageSourceRegistry\": {\"image\": "
    "\"tensorflow/tensorflow:1.8.0-gpu\"}}\n"
    "}}\n";

void memory_files_set(MemoryFiles *files, const char *path, const char *text, size_t length)
{
    int32_t i = 0;
    while (i < files->count && strcmp(files->items[i].path, path) != 0)
        i++;
    invariant(i < MEMORY_FILES_MAX);
    files->items[i] = (MemoryFile){.path = path, .text = text, .length = length};
    if (i == files->count)
        files->count++;
}

static const MemoryFile *find(const MemoryFiles *files, const char *path, Status *status)
{
    for (int32_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    status_fail(status, STATUS_NOT_FOUND, place_in(path, 0, 0), "there is no such file");
    return NULL;
}

static bool read_file(void *context, Arena *arena, const char *path, const char **text,
                      size_t *length, Status *status)
{
    (void)arena;
    const MemoryFile *file = find(context, path, status);
    if (file == NULL)
        return false;
    *text = file->text;
    *length = file->length;
    return true;
}

static bool file_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    const MemoryFile *file = find(context, path, status);
    if (file == NULL)
        return false;
    *bytes = (int64_t)file->length;
    return true;
}

FileSource memory_files_source(MemoryFiles *files)
{
    return (FileSource){.context = files, .read = read_file, .size = file_size};
}

static void set_shipped(MemoryFiles *files, Arena *arena, const char *folder, const char *name)
{
    Status status = {0};
    const char *text;
    size_t length;
    const char *path = arena_printf(arena, TRAINYARD_SOURCE_DIR "/scenarios/catalog/%s", name);
    bool is_read = disk_files.read(NULL, arena, path, &text, &length, &status);
    invariant(is_read);
    memory_files_set(files, arena_printf(arena, "%s%s", folder, name), text, length);
}

void memory_files_set_catalog(MemoryFiles *files, Arena *arena, const char *folder)
{
    set_shipped(files, arena, folder, "azure-2018.json");
    set_shipped(files, arena, folder, "networks.json");
}

void memory_files_set_transformers(MemoryFiles *files, Arena *arena, const char *folder)
{
    set_shipped(files, arena, folder, "transformers.json");
    set_shipped(files, arena, folder, "transformer_software.json");
}

MemoryFiles small_scenario(Arena *arena)
{
    MemoryFiles files = {0};
    memory_files_set_catalog(&files, arena, "catalog/");
    memory_files_set(&files, "scenario.json", small_scenario_text, strlen(small_scenario_text));
    memory_files_set(&files, "cluster.json", small_cluster_text, strlen(small_cluster_text));
    memory_files_set(&files, "job.json", small_job_text, strlen(small_job_text));
    return files;
}

Json *shipped_catalog(Arena *arena)
{
    MemoryFiles files = {0};
    memory_files_set_catalog(&files, arena, "");
    Problems problems = problems_create(arena);
    Json *root = json_parse(arena, files.items[0].path, files.items[0].text, files.items[0].length,
                            JSON_WITH_COMMENTS, &problems);
    const JsonLoader loader = {
        .arena = arena, .files = memory_files_source(&files), .problems = &problems};
    catalog_load_included(&loader, root);
    invariant(problems.count == 0);
    return root;
}

const char *with_change(Arena *arena, const char *text, const char *old, const char *new)
{
    const char *found = strstr(text, old);
    ck_assert_msg(found != NULL, "nothing to change: %s", old);
    return arena_printf(arena, "%.*s%s%s", (int)(found - text), text, new, found + strlen(old));
}
