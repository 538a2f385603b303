#include "sim/cloud/spec/reuse.h"

#include <string.h>

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static const char *text_reuse(const char *text, const char *earlier)
{
    return is_same_text(text, earlier) ? earlier : text;
}

ResourcePath path_reuse(ResourcePath path, ResourcePath earlier)
{
    return (ResourcePath){.group = text_reuse(path.group, earlier.group),
                          .workspace = text_reuse(path.workspace, earlier.workspace),
                          .experiment = text_reuse(path.experiment, earlier.experiment),
                          .name = text_reuse(path.name, earlier.name)};
}

static bool is_same_place(OutputPlace a, OutputPlace b)
{
    return is_same_text(a.share, b.share) && is_same_text(a.directory, b.directory);
}

static OutputPlace place_reuse(OutputPlace place, OutputPlace earlier)
{
    return (OutputPlace){.share = text_reuse(place.share, earlier.share),
                         .directory = text_reuse(place.directory, earlier.directory)};
}

static bool is_same_mounts(const JobSpec *a, const JobSpec *b)
{
    bool is_same = a->mount_count == b->mount_count &&
                   (a->is_blob_mount == NULL) == (b->is_blob_mount == NULL);
    for (int32_t i = 0; i < a->mount_count && is_same; i++)
        is_same = is_same_text(a->mounts[i], b->mounts[i]) &&
                  (a->is_blob_mount == NULL || a->is_blob_mount[i] == b->is_blob_mount[i]);
    return is_same;
}

static bool is_same_outputs(const JobSpec *a, const JobSpec *b)
{
    bool is_same = a->output_count == b->output_count;
    for (int32_t i = 0; i < a->output_count && is_same; i++)
        is_same = is_same_text(a->outputs[i].id, b->outputs[i].id) &&
                  is_same_place(a->outputs[i].place, b->outputs[i].place) &&
                  is_same_text(a->outputs[i].suffix, b->outputs[i].suffix);
    return is_same;
}

static bool is_same_environment(const JobSpec *a, const JobSpec *b)
{
    bool is_same = a->environment_count == b->environment_count;
    for (int32_t i = 0; i < a->environment_count && is_same; i++)
        is_same = is_same_text(a->environment[i].name, b->environment[i].name) &&
                  is_same_text(a->environment[i].value, b->environment[i].value) &&
                  is_same_text(a->environment[i].secret, b->environment[i].secret);
    return is_same;
}

const JobSpec *job_spec_reuse(JobSpec *spec, const JobSpec *earlier)
{
    spec->tool = text_reuse(spec->tool, earlier->tool);
    spec->command = text_reuse(spec->command, earlier->command);
    spec->script = place_reuse(spec->script, earlier->script);
    spec->script_path = text_reuse(spec->script_path, earlier->script_path);
    spec->preparation_command = text_reuse(spec->preparation_command, earlier->preparation_command);
    spec->std_out_err = place_reuse(spec->std_out_err, earlier->std_out_err);
    spec->queue = text_reuse(spec->queue, earlier->queue);
    if (spec->speeds != NULL && earlier->speeds != NULL &&
        memcmp(spec->speeds, earlier->speeds, sizeof *spec->speeds) == 0)
        spec->speeds = earlier->speeds;
    if (is_same_mounts(spec, earlier)) {
        spec->mounts = earlier->mounts;
        spec->is_blob_mount = earlier->is_blob_mount;
    }
    if (is_same_outputs(spec, earlier))
        spec->outputs = earlier->outputs;
    if (is_same_environment(spec, earlier))
        spec->environment = earlier->environment;
    // Bytes between members may differ: then equal specs are two.
    return memcmp(spec, earlier, sizeof *spec) == 0 ? earlier : spec;
}
