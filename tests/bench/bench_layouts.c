/* How many layouts of a transformer are judged in a second: the rules, the memory, the time of a
 * step, the rank. One thread. Prints the layouts that keep the rules, which are the ones that
 * cost time. Exit code 1 when fewer than LEAST_PER_S are judged in a second. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/transformer/layout.h"

enum { ROUNDS = 3, LEAST_PER_S = 100000 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const Catalog *read_catalog(Arena *arena)
{
    static const char folder[] = TRAINYARD_SOURCE_DIR "/scenarios/catalog";
    static const char *const names[] = {"azure-2018.json", "transformers.json",
                                        "transformer_software.json"};
    CatalogFile files[3];
    Problems problems = problems_create(arena);
    for (int i = 0; i < 3; i++)
        files[i] = (CatalogFile){disk_files, arena_printf(arena, "%s/%s", folder, names[i])};
    return catalog_files_read(arena, files, 3, &problems);
}

/* The best of ROUNDS; 0 if the search cannot begin. */
static double layouts_per_s(const TransformerJob *job, const TransformerMachine *machine,
                            LayoutSearch *found)
{
    LayoutSpace space;
    Status status = {0};
    if (!layout_space_read(piece_of("best", "best", 4), job, machine, &space, &status))
        return 0;
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double begin_s = now_s();
        layouts_search(job, machine, &space, 10, found);
        const double per_s = (double)found->valid / (now_s() - begin_s);
        best = per_s > best ? per_s : best;
    }
    return best;
}

int main(void)
{
    static const struct {
        const char *model;
        int32_t gpus;
    } cases[] = {{"llama3-8b", 64},      {"llama3-70b", 512},   {"gpt3-175b", 1024},
                 {"llama3-405b", 16384}, {"mixtral-8x7b", 256}, {"deepseek-v3", 2048}};
    Arena *arena = arena_create();
    const Catalog *catalog = read_catalog(arena);
    const TransformerMachine machine = {
        .gpu = catalog_transformer_gpu(catalog, "H100"),
        .fabric = catalog_transformer_fabric(catalog, "infiniband"),
        .software = catalog_transformer_software(catalog, "megatron-core"),
        .routing = catalog_transformer_routing(catalog, "any"),
        .port_bytes_per_s = INT64_C(50000000000),
        .memory_bytes = INT64_C(80) << 30,
    };
    int status = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TransformerJob job = {.shape = *catalog_transformer(catalog, cases[i].model),
                              .gpus = cases[i].gpus,
                              .gpus_per_node = 8,
                              .global_batch = 2048};
        job.shape.experts.imbalance_ppm = machine.routing->imbalance_ppm;
        static LayoutSearch found;
        const double per_s = layouts_per_s(&job, &machine, &found);
        printf("%-12s on %5d GPUs: %6lld layouts of %7lld combinations, %8.0f a second, %s (%d)\n",
               cases[i].model, (int)cases[i].gpus, (long long)found.valid,
               (long long)found.combinations, per_s, per_s >= LEAST_PER_S ? "met" : "MISSED",
               LEAST_PER_S);
        status |= per_s < LEAST_PER_S;
    }
    arena_destroy(arena);
    return status;
}
