#include "sim/output/share/setup_files.h"

#include <stdlib.h>
#include <string.h>

#include "sim/output/share/emulated_log_text.h"

typedef void WriteLog(const ClusterSpec *spec, const Node *node, LogWriter *log);

static const struct {
    const char *stem;
    WriteLog *write;
} streams[] = {{"stdout", setup_out_log}, {"stderr", setup_error_log}};

enum { STREAMS = sizeof streams / sizeof streams[0] };

static const char *name_of(int stream, const Node *node, Arena *arena)
{
    return arena_printf(arena, "%s-%s.txt", streams[stream].stem, node->name);
}

/* The next of the nodes on which the task has begun; NULL after the last. */
static const Node *node_at(const World *world, NodeId node)
{
    return node.index == ID_NONE ? NULL : world_node(world, node);
}

static void write_file(const Cluster *cluster, const Node *node, int stream, int64_t now_ns,
                       ByteSink sink, LogWriter *log)
{
    log_begin(log, sink, node->setup_began_ns,
              now_ns < node->setup_ended_ns ? now_ns : node->setup_ended_ns);
    streams[stream].write(cluster->spec, node, log);
    log_end(log);
}

static int by_name(const void *left, const void *right)
{
    const FileEntry *a = left, *b = right;
    return strcmp(a->name, b->name); // names differ because node ids do
}

FileEntry *setup_files_list(const World *world, const Cluster *cluster, int64_t now_ns,
                            Arena *arena, int32_t *count)
{
    int32_t room = 0;
    for (const Node *node = node_at(world, cluster->set_up_last); node;
         node = node_at(world, node->set_up_before))
        room += STREAMS;
    FileEntry *entries = ARENA_ARRAY(arena, FileEntry, room);
    LogWriter *log = ARENA_NEW(arena, LogWriter);
    *count = 0;
    for (const Node *node = node_at(world, cluster->set_up_last); node;
         node = node_at(world, node->set_up_before)) {
        for (int stream = 0; stream < STREAMS && node->setup_began_ns <= now_ns; stream++) {
            write_file(cluster, node, stream, now_ns, (ByteSink){0}, log);
            entries[(*count)++] =
                (FileEntry){.name = name_of(stream, node, arena),
                            .bytes = log->length,
                            .created_ns = node->setup_began_ns,
                            .modified_unix_ms = world_unix_ms(world, log->modified_ns)};
        }
    }
    qsort(entries, (size_t)*count, sizeof *entries, by_name);
    return entries;
}

bool setup_file_write(const World *world, const Cluster *cluster, const char *name, int64_t now_ns,
                      ByteSink sink)
{
    Arena *arena = arena_create();
    bool is_there = false;
    for (const Node *node = node_at(world, cluster->set_up_last); node && !is_there;
         node = node_at(world, node->set_up_before)) {
        for (int stream = 0; stream < STREAMS && node->setup_began_ns <= now_ns; stream++) {
            if (strcmp(name, name_of(stream, node, arena)) != 0)
                continue;
            write_file(cluster, node, stream, now_ns, sink, ARENA_NEW(arena, LogWriter));
            is_there = true;
        }
    }
    arena_destroy(arena);
    return is_there;
}

int64_t setup_files_begun_ns(const World *world, const Cluster *cluster)
{
    int64_t begun_ns = INT64_MAX;
    for (const Node *node = node_at(world, cluster->set_up_last); node;
         node = node_at(world, node->set_up_before))
        if (begun_ns == INT64_MAX || node->setup_began_ns > begun_ns)
            begun_ns = node->setup_began_ns;
    return begun_ns;
}

int64_t setup_files_settled_ns(const World *world, const Cluster *cluster)
{
    int64_t settled_ns = 0;
    for (const Node *node = node_at(world, cluster->set_up_last); node;
         node = node_at(world, node->set_up_before))
        if (node->setup_ended_ns > settled_ns)
            settled_ns = node->setup_ended_ns;
    return settled_ns;
}

const char *setup_files_directory(const World *world, const Cluster *cluster, Arena *arena)
{
    const char *directory = cluster->spec->setup_std_out_err.directory;
    return arena_printf(arena, "%s%s%s", directory, *directory ? "/" : "",
                        cluster_output_segment(world_scenario(world), cluster, arena));
}
