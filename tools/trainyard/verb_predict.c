/* trainyard predict: predicts how fast a network trains, from the catalogue alone. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/built_in_catalog.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/prediction.h"
#include "tools/trainyard/predict/coverage.h"
#include "tools/trainyard/predict/measured.h"
#include "tools/trainyard/predict/network.h"
#include "tools/trainyard/predict/transformer.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *model;
    const char *vm;
    const char *framework;
    int64_t gpus;
    int64_t batch;
    int collective;
    int wire;
    const char *layout;
    int64_t sequence;
    int64_t global_batch;
    const char *tokens;
    int64_t within_ns;
    const char *measured;
    OptionTexts catalogs;
    bool shows_coverage;
    bool is_json;
} PredictArguments;

static const char *const collectives[] = {
#define X(name, text) text,
    COLLECTIVES(X)
#undef X
        NULL};

static const char *const wires[] = {
#define X(name, text) text,
    WIRES(X)
#undef X
        NULL};

enum { GPUS_MAX = 65536, IMAGES_GPUS_MAX = 4096, BATCH_MAX = 65536, SEQUENCE_MAX = 1 << 24 };

#define OWNER PredictArguments
static const Field predict_options[] = {
    OPTION_TEXT(
        'm', "model", model, "NETWORK",
        "the network: resnet50, llama3-8b, mixtral-8x7b, ..., or a model file (*.json); \"?\" "
        "lists all"),
    OPTION_TEXT(0, "vm", vm, "SIZE", "the nodes: Standard_NC24r, ...; \"?\" lists all"),
    OPTION_INTEGER('n', "gpus", gpus, "N", 1, GPUS_MAX,
                   "the number of GPUs; each node is filled before the next (1)"),
    OPTION_INTEGER('b', "batch", batch, "B", 1, BATCH_MAX, "images per GPU and step (64)"),
    OPTION_TEXT('f', "framework", framework, "SOFTWARE",
                "the training software (tf1.8-horovod0.13.2; of transformers megatron-core); \"?\" "
                "lists all"),
    OPTION_TEXT('l', "layout", layout, "LAYOUT",
                "how a transformer is spread: tp=8,pp=2,ep=8,fsdp,...; \"best\" ranks all (best)"),
    OPTION_INTEGER(0, "seq", sequence, "TOKENS", 1, SEQUENCE_MAX,
                   "the length of a transformer's sequences (as the model has it)"),
    OPTION_INTEGER(0, "global-batch", global_batch, "B", 1, SEQUENCE_MAX,
                   "sequences of all GPUs in a step (512)"),
    OPTION_TEXT(0, "tokens", tokens, "N",
                "also print days and cost of a training on N tokens: 1T, 300B"),
    OPTION_DURATION(0, "within", within_ns, "TIME",
                    "with --tokens, in place of --gpus: the fewest nodes that train in this time"),
    OPTION_CHOICE('c', "collective", collective, "LIBRARY", collectives,
                  "the library that adds gradients (mpi-host if the software has it)"),
    OPTION_CHOICE('w', "network", wire, "WIRE", wires,
                  "the network between nodes (InfiniBand if size and software have it)"),
    OPTION_TEXTS(0, "catalog", catalogs, "FILE",
                 "read FILE after the compiled-in catalogues; may be repeated"),
    OPTION_FILE(0, "measured", measured, "FILE",
                "predict the transformer trainings of a table, and compare with its steps"),
    OPTION_FLAG(0, "coverage", shows_coverage,
                "print how often the stated uncertainty of one GPU holds, and predict nothing"),
    OPTION_FLAG(0, "json", is_json,
                "print JSON (trainyard schema predict-answer, or predict-transformer-answer)"),
    {0},
};
#undef OWNER

static const OptionTable predict_table = {
    .name = "predict",
    .operands = "",
    .summary = "Predicts how fast a network trains on a number of GPUs, from the catalogue alone.",
    .details =
        "The time of one GPU is based on published measurements of one GPU. The exchange between "
        "GPUs is modelled from their software and links. Images are assumed to be in memory. "
        "About 19 of 20 measurements should be within the uncertainty. The basis of the figures is "
        "printed below them. A training that does not fit into the memory of a GPU is predicted "
        "with a warning. No value comes from measurements of several GPUs, except two that come "
        "from "
        "runs on two nodes: the Ethernet of Standard_NC6, and the rate of one ring of NCCL over "
        "TCP. Transformers are described in sim/model/transformer/README.md.",
    .example = "trainyard predict --model resnet50 --vm Standard_NC24r --gpus 8\n"
               "trainyard predict -m vgg16 --vm Standard_NC24rs_v3 -n 16 -c nccl --json\n"
               "trainyard predict -m resnet152 --vm Standard_ND24rs -n 8 -w ethernet\n"
               "trainyard predict --model llama3-70b --vm Standard_ND96isr_H100_v5 --gpus 64 "
               "--layout tp=8,pp=2,fsdp --tokens 1T\n"
               "trainyard predict --model llama3-8b --vm Standard_ND96amsr_A100_v4 --gpus 128 "
               "--layout best\n"
               "trainyard predict --model llama3-8b --vm Standard_ND96isr_H100_v5 --tokens 1T "
               "--within 30d\n"
               "trainyard predict --model mixtral-8x7b --vm Standard_ND96isr_H100_v5 --gpus 64 "
               "--layout ep=8,fsdp\n"
               "trainyard predict --coverage",
    .options = predict_options,
};

/* --- The verb --- */

static const Catalog *read_catalog(Arena *arena, OptionTexts more, Problems *problems)
{
    static const char *const built_in[] = {"catalog/azure-2018.json", "catalog/throughput.json",
                                           "catalog/transformers.json",
                                           "catalog/transformer_software.json"};
    enum { BUILT_IN = sizeof built_in / sizeof built_in[0] };
    CatalogFile *files = ARENA_ARRAY(arena, CatalogFile, more.count + BUILT_IN);
    for (int32_t i = 0; i < BUILT_IN; i++)
        files[i] = (CatalogFile){built_in_catalog(), built_in[i]};
    for (int32_t i = 0; i < more.count; i++)
        files[i + BUILT_IN] = (CatalogFile){disk_files, more.items[i]};
    return catalog_files_read(arena, files, more.count + BUILT_IN, problems);
}

/* Fails if `option` has no value. */
static bool check_given(const char *option, const char *value, Status *status)
{
    if (value != NULL)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in("trainyard: predict", 0, 0), "%s is missing",
                option);
    return status_hint(status, "trainyard predict --model resnet50 --vm Standard_NC24r --gpus 8");
}

static bool asks_for_all(const char *name)
{
    return name != NULL && strcmp(name, "?") == 0;
}

/* The model may be a misspelt transformer, and fewer GPUs are simulated for networks of images. */
static bool check_network(const Catalog *catalog, const PredictArguments *arguments, Status *status)
{
    const Place at = place_in("trainyard: predict", 0, 0);
    int32_t count;
    const char *const *names = catalog_names(catalog, CATALOG_TRANSFORMERS, &count);
    const char *nearest = nearest_name(arguments->model, names, count);
    if (catalog_network(catalog, arguments->model) == NULL && nearest != NULL) {
        status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not a network of the catalogue",
                    arguments->model);
        return status_hint(status, "did you mean \"%s\"?", nearest);
    }
    return arguments->gpus <= IMAGES_GPUS_MAX ||
           status_fail(status, STATUS_BAD_INPUT, at, "--gpus is at most %d for %s", IMAGES_GPUS_MAX,
                       arguments->model);
}

/* Returns whether `typed` is "?", and if so prints all names of `section`. VM sizes are printed
 * with their GPUs; sizes without GPUs are left out. */
static bool list_names(const Catalog *catalog, const char *typed, CatalogSection section)
{
    int32_t count;
    const char *const *names = catalog_names(catalog, section, &count);
    for (int32_t i = 0; i < count && asks_for_all(typed); i++) {
        const VmSize *size = catalog_vm_size(catalog, names[i]);
        if (section != CATALOG_VM_SIZES)
            printf("%s\n", names[i]);
        else if (size->gpu != NULL)
            printf("%-26s %d x %s\n", names[i], (int)size->gpus, size->gpu->name);
    }
    return asks_for_all(typed);
}

/* "?" for any of the three names lists what there is. */
static bool list_asked(const Catalog *catalog, const PredictArguments *arguments)
{
    const bool lists_models = list_names(catalog, arguments->model, CATALOG_NETWORKS);
    if (lists_models)
        return list_names(catalog, arguments->model, CATALOG_TRANSFORMERS);
    if (list_names(catalog, arguments->vm, CATALOG_VM_SIZES))
        return true;
    return list_names(catalog, arguments->framework, CATALOG_STACKS) &&
           list_names(catalog, arguments->framework, CATALOG_TRANSFORMER_SOFTWARE);
}

static int predict_network(Arena *arena, const Catalog *catalog, const PredictArguments *arguments)
{
    const char *stack = arguments->framework != NULL ? arguments->framework : "tf1.8-horovod0.13.2";
    const PredictionRequest request = {.network = arguments->model,
                                       .vm_size = arguments->vm,
                                       .stack = stack,
                                       .collective = (Collective)arguments->collective,
                                       .wire = (Wire)arguments->wire,
                                       .gpus = arguments->gpus > 0 ? (int32_t)arguments->gpus : 1,
                                       .batch = arguments->batch};
    Prediction prediction;
    Status status = {0};
    if (!check_network(catalog, arguments, &status) ||
        !prediction_make(catalog, request, &prediction, &status))
        return report_status(&status);
    predict_network_print(arena, catalog, &prediction, arguments->is_json);
    return EXIT_FINE;
}

static int predict_named(Arena *arena, const Catalog *catalog, const PredictArguments *arguments)
{
    const TransformerArguments transformer = {
        .model = arguments->model,
        .vm = arguments->vm,
        .software = arguments->framework,
        .layout = arguments->layout,
        .wire = (Wire)arguments->wire,
        .gpus = arguments->gpus,
        .sequence = arguments->sequence,
        .global_batch = arguments->global_batch,
        .tokens = arguments->tokens,
        .within_ns = arguments->within_ns,
        .is_json = arguments->is_json,
    };
    return predict_is_transformer(catalog, arguments->model)
               ? predict_transformer(arena, catalog, &transformer)
               : predict_network(arena, catalog, arguments);
}

static int predict_with(Arena *arena, const PredictArguments *arguments)
{
    Status status = {0};
    const bool asks = arguments->shows_coverage || arguments->measured != NULL ||
                      asks_for_all(arguments->model) || asks_for_all(arguments->vm) ||
                      asks_for_all(arguments->framework);
    if (!asks && (!check_given("--model", arguments->model, &status) ||
                  !check_given("--vm", arguments->vm, &status)))
        return report_status(&status);
    Problems problems = problems_create(arena);
    const Catalog *catalog = read_catalog(arena, arguments->catalogs, &problems);
    if (catalog == NULL)
        return report_problems(&problems);
    if (arguments->measured != NULL)
        return predict_measured(arena, catalog, arguments->measured, arguments->is_json);
    if (arguments->shows_coverage) {
        predict_coverage_print(arena, catalog_throughputs(catalog), arguments->is_json);
        return EXIT_FINE;
    }
    if (list_asked(catalog, arguments))
        return EXIT_FINE;
    return predict_named(arena, catalog, arguments);
}

static int predict(int argc, char **argv)
{
    Arena *arena = arena_create();
    PredictArguments arguments = {.batch = 64,
                                  .layout = "best",
                                  .global_batch = 512,
                                  .collective = COLLECTIVE_ANY,
                                  .wire = WIRE_ANY};
    Operands operands;
    int exit_code;
    if (options_read(&predict_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = predict_with(arena, &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_predict = {.options = &predict_table, .run = predict};
