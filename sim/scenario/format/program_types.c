#include "sim/scenario/format/program_types.h"

#include "sim/scenario/format/kind_types.h"

#define MAX_COUNT INT32_MAX
#define DISTRIBUTION "{\"type\": [\"string\", \"object\"]}"
#define COUNT_OR_EXPRESSION "{\"type\": [\"integer\", \"string\"]}"

#define OWNER DataText
static const Field data_fields[] = {
    NEEDED_TEXT("path", path,
                "path of the data set, such as \"$AZ_BATCHAI_INPUT_DATA/cifar\" or \"{--data}\""),
    NEEDED_BYTES("bytes", bytes, "how much each node reads from there before the training"),
    {0},
};
#undef OWNER
static const ObjectType data_type = {"data", "A data set on a mounted share.", sizeof(DataText),
                                     data_fields};

#define ON_NOTICE                                                                                  \
    "whether the job writes one more checkpoint when a low-priority node of it gets notice of "    \
    "preemption, or the job itself gets notice from the scheduler (`grace_period` of a queue): "   \
    "after the step or evaluation under way, with {epoch} such as \"3-step-120\" for 120 steps "   \
    "of "                                                                                          \
    "epoch 4. If it is written in time, a new attempt continues from that step, otherwise from "   \
    "the older checkpoint."

#define OWNER SaveText
static const Field save_fields[] = {
    NEEDED_TEXT("path", path,
                "where rank 0 writes it; {--name} stands for the value of that option on the "
                "command line, {--name=default} where the option may be missing; a path that is "
                "not under a mount is on the node's own disk"),
    NEEDED_BYTES("bytes", bytes, "its size"),
    {0},
};
#undef OWNER
static const ObjectType save_type = {"save", "The model saved at the end.", sizeof(SaveText),
                                     save_fields};

#define OWNER StateText
static const Field state_fields[] = {
    NEEDED_TEXT("path", path,
                "the folder that all ranks write their parts into, or with ZeRO-0 those of one "
                "copy of the model; as the path of a checkpoint, where {epoch} stands for the "
                "number of the checkpoint. A new attempt continues from the last one on a share"),
    NEEDED_JSON("every", every, "{\"type\": [\"integer\", \"string\"]}",
                "steps from one checkpoint to the next, or a time, which becomes whole steps: 500, "
                "\"30m\". The last step is followed by one too"),
    FIELD_DURATION(
        "blocks", blocks, NULL,
        "how long all ranks wait for a checkpoint, which is then written during the next "
        "steps, as asynchronous checkpoints are; the next one waits until it is written. "
        "Without it, and after the last step, they wait until it is written"),
    FIELD_BOOLEAN("on_notice", on_notice, "false",
                  ON_NOTICE " All ranks wait for it. Needs a "
                            "share"),
    {0},
};
#undef OWNER
static const ObjectType state_type = {"state",
                                      "Checkpoints of a transformer: weights (2 bytes a parameter) "
                                      "and optimizer (12 bytes). All ranks "
                                      "wait while they are written, unless \"blocks\" is given.",
                                      sizeof(StateText), state_fields};

#define OWNER TransformerText
static const Field transformer_fields[] = {
    NEEDED_JSON("model", model, "{\"type\": [\"string\", \"object\"]}",
                "a transformer of the catalogue, \"llama3-8b\", or the members of a model file "
                "(`trainyard schema model`)"),
    FIELD_TEXT("layout", layout, "best",
               "how it is spread over the job's GPUs, as `predict --layout` has it: "
               "\"tp=8,pp=2,fsdp\", with experts \"ep=8\"; \"best\" is the fastest that fits"),
    FIELD_TEXT("software", software, "megatron-core", "transformer software of the catalogue"),
    FIELD_INTEGER("sequence", sequence, 1, MAX_COUNT, NULL,
                  "tokens of a sequence; as the model has it, if not given"),
    NEEDED_INTEGER("global_batch", global_batch, 1, MAX_COUNT, "sequences of a step, on all GPUs"),
    FIELD_JSON(
        "tokens", tokens, "{\"type\": [\"integer\", \"string\"]}",
        "tokens of the whole training, as a number or \"1T\", \"300B\"; whole steps are done"),
    FIELD_INTEGER("steps", steps, 1, INT64_C(1) << 32, NULL, "or the steps of the whole training"),
    FIELD_DURATION("start", start, "5m",
                   "from the start of the program until it reads the checkpoint, in each attempt: "
                   "imports, connections, compilation. The default is an assumption"),
    FIELD_OBJECT("checkpoint", checkpoint, state_type,
                 "without it a lost attempt is repeated from the first step"),
    {0},
};
#undef OWNER
static const ObjectType transformer_type = {
    "transformer",
    "The training of a transformer on all GPUs of its job, one rank on each. A step takes the time "
    "that `trainyard predict` states.",
    sizeof(TransformerText), transformer_fields};

#define OWNER ProgramText
static const char *const program_precisions[] = {
#define X(ENUM, text) text,
    STEP_PRECISIONS(X)
#undef X
        NULL};
static const char *const program_outputs[] = {"plain", "keras", NULL};
static const Field program_fields[] = {
    NEEDED_TEXT("match", match,
                "pattern of the job's command line (* any characters, ? one); the first program "
                "that matches is used"),
    FIELD_TEXT("name", name, NULL, "its name in reports; the default is `match`"),
    FIELD_JSON("duration", duration, DISTRIBUTION,
               "for a program that only takes time: a duration, quantiles {\"0\": .., \"0.5\": .., "
               "\"1\": ..}, or {\"exponential\": MEAN}, {\"weibull\": {\"scale\", \"shape\"}}, "
               "{\"lognormal\": {\"median\", \"sigma\"}}; the same on a slow node"),
    FIELD_JSON("speeds", speeds, SPEEDS_SCHEMA,
               "with `duration`: how fast it runs on kinds of nodes, as for job.create, for jobs "
               "that do not state it. It has no effect on a cluster without node_kinds"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, "0",
                  "exit code of a program that only takes time"),
    FIELD_TEXT("script", script, NULL,
               "for a program that does what simple commands do: \"echo started; sleep 20m; exit "
               "3\" runs as in a shell, with the variables and mounts of the job"),
    FIELD_OBJECT("transformer", transformer, transformer_type,
                 "for a program that trains a transformer"),
    FIELD_TEXT("model", model, NULL, "for a program that trains: the network of the catalogue"),
    FIELD_TEXT("data_set", data_set, NULL, "data set of the catalogue"),
    FIELD_TEXT("framework", framework, NULL, "framework of the catalogue"),
    FIELD_TEXT("exchange", exchange, NULL, "exchange of gradients of the catalogue"),
    FIELD_TEXT("learning", learning, NULL, "learning curve of the catalogue"),
    FIELD_TEXT("jitter", jitter, NULL,
               "step jitter of the catalogue; without it all steps are equal"),
    FIELD_CHOICE(
        "precision", precision, program_precisions, "fp32",
        "precision of the arithmetic; other than fp32 only on devices that were measured in it"),
    FIELD_INTEGER("batch_per_rank", batch_per_rank, 1, MAX_COUNT, NULL,
                  "samples in one step of one rank"),
    FIELD_JSON("epochs", epochs, COUNT_OR_EXPRESSION,
               "number of epochs, or an expression of ranks, nodes, gpus and batch, such as "
               "\"ceil(100/ranks)\""),
    FIELD_ROW(JSON, "steps_per_epoch", steps_per_epoch, .schema = COUNT_OR_EXPRESSION,
              .fallback = "ceil(samples/batch)",
              .doc = "steps of each rank, a number or an expression of samples, batch, ranks, "
                     "nodes and gpus"),
    FIELD_ROW(JSON, "evaluate_samples", evaluate_samples, .schema = COUNT_OR_EXPRESSION,
              .fallback = "test_samples",
              .doc = "samples that each rank evaluates after each epoch; 0: no evaluation"),
    FIELD_BOOLEAN("evaluates_at_end", evaluates_at_end, "true",
                  "whether there is one more evaluation after the last epoch"),
    FIELD_OBJECT("data", data, data_type,
                 "where the data set is read from; without it each node downloads the set"),
    FIELD_OBJECT("checkpoint", checkpoint, checkpoint_type,
                 "what a training writes after every so many epochs or steps, and a program that "
                 "only takes time after every so much time; without it a lost attempt is repeated "
                 "from its beginning"),
    FIELD_OBJECT("save", save, save_type, "the model file at the end"),
    FIELD_CHOICE("output", output, program_outputs, "plain",
                 "what the program prints while it trains"),
    {0},
};
#undef OWNER
const ObjectType program_type = {
    "program",
    "The action of a job's command line: train a network (\"model\") or a transformer "
    "(\"transformer\"), take a time (\"duration\"), or do what simple commands do (\"script\").",
    sizeof(ProgramText), program_fields};

#define OWNER OtherText
static const Field other_fields[] = {
    FIELD_JSON("duration", duration, DISTRIBUTION,
               "how long such a command takes: a duration or a distribution, as for a program; "
               "without it the catalogue's service/unknown_program, or service/unknown_tool for a "
               "line of tools that end at once"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, "0", "its exit code"),
    {0},
};
#undef OWNER
const ObjectType other_type = {
    "other_program",
    "A command line that nothing else describes: it is not run, and its output says so.",
    sizeof(OtherText), other_fields};

#define OWNER PreparationText
static const Field preparation_fields[] = {
    NEEDED_TEXT("match", match, "pattern of the preparation command"),
    NEEDED_DURATION("duration", duration, "how long it takes on one node"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, "0", "its exit code"),
    {0},
};
#undef OWNER
const ObjectType preparation_type = {
    "preparation", "A job preparation command; those of the catalogue come after these.",
    sizeof(PreparationText), preparation_fields};
const ObjectType setup_type = {"setup", "A cluster's set-up task: how long it takes, how it ends.",
                               sizeof(SetupText), preparation_fields};
