#include "sim/scenario/reference.h"

#include <stdio.h>
#include <string.h>

#include "sim/scenario/catalog/fields.h"
#include "sim/scenario/command/trigger_read.h"
#include "sim/scenario/format/api_fault_types.h"
#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/command_members.h"
#include "sim/scenario/format/types.h"

const ReferenceExample format_examples[] = {
    {&scenario_type, "{\n"
                     "  \"trainyard\": 1,\n"
                     "  \"description\": \"When is the job done, and what does it cost?\",\n"
                     "  \"parameters\": {\"nodes\": {\"value\": 4, \"range\": [1, 64]}},\n"
                     "  \"start\": \"2018-07-18T08:00:00Z\",\n"
                     "  \"catalog\": [\"catalog/azure-2018.json\"],\n"
                     "  \"commands\": [\n"
                     "    {\"at\": \"0s\", \"do\": \"cluster.create\", \"name\": \"gpu\", "
                     "\"config\": \"cluster.json\"},\n"
                     "    {\"at\": \"1m\", \"do\": \"job.create\", \"name\": \"train\", "
                     "\"cluster\": \"gpu\", \"config\": \"job.json\"},\n"
                     "    {\"after\": \"job train completed + 5m\", \"do\": \"cluster.resize\", "
                     "\"name\": \"gpu\", \"target\": \"${nodes}\"}\n"
                     "  ],\n"
                     "  \"expect\": [{\"job\": \"train\", \"state\": \"succeeded\"}]\n"
                     "}"},
    {&parameter_type, "{\"value\": \"6/h\", \"type\": \"rate\", \"range\": [\"1/week\", "
                      "\"60/h\"], \"description\": \"mean rate of arrivals\"}"},
    {&storage_type, "{\"account\": \"mystorageaccount\", \"shares\": [{\"name\": \"myshare\", "
                    "\"files\": {\"train.py\": \"train.py\", \"data/cifar.bin\": {\"bytes\": "
                    "\"170MB\"}}}]}"},
    {&program_type, "{\"match\": \"*train.py*\", \"model\": \"keras_cifar10_cnn\", \"data_set\": "
                    "\"cifar10\", \"framework\": "
                    "\"keras-2.2-tf-1.8-augmented\",\n \"exchange\": \"horovod-0.13-mpi\", "
                    "\"learning\": \"keras_cifar10_cnn\", \"batch_per_rank\": 32, "
                    "\"epochs\": \"ceil(100/ranks)\"}"},
    {&command_type, "{\"after\": \"cluster gpu steady\", \"do\": \"job.create\", \"name\": "
                    "\"train\", \"cluster\": \"gpu\", \"config\": \"job.json\"}"},
    {&group_type, "{\"name\": \"rack-1\", \"cluster\": \"gpu\", \"nodes\": \"1-4\"}"},
    {&failures_type, "{\"scale\": 2, \"nodes\": \"llama3-2024\", \"preparation\": \"1%\"}"},
    {&fault_type, "{\"after\": \"job train epoch 3 + 12m\", \"do\": \"node.crash\", \"job\": "
                  "\"train\", \"node\": 2, \"recovery\": \"reboot\"}"},
    {&api_fault_type, "{\"do\": \"api.error\", \"path\": \"*clusters*\", \"method\": \"PUT\", "
                      "\"status\": 429, \"retry_after\": \"2s\", \"chance\": \"10%\"}"},
    {&network_type, "{\"rack_nodes\": 4, \"rack_uplink_rate\": \"10Gbit/s\"}"},
    {&workload_type, "{\"name\": \"load\", \"cluster\": \"gpu\", \"config\": \"job.json\", "
                     "\"arrivals\": \"poisson\", \"rate\": \"12/h\",\n \"jobs\": 100, \"nodes\": "
                     "{\"1\": \"70%\", \"4\": \"30%\"}}"},
    {&expect_type, "{\"metric\": \"jobs.train.run_s\", \"between\": [\"45m\", \"75m\"]}"},
    {NULL, NULL},
};

/* --- Scenarios --- */

/* " a b " as "`a`, `b`", without the words of `except`. */
static void add_words(const char *words, const char *except, Text *out)
{
    const char *separator = "";
    for (const char *word = words + 1; *word != '\0';) {
        size_t length = strcspn(word, " ");
        char surrounded[64] = " ";
        strncat(strncat(surrounded, word, length), " ", 2);
        if (strstr(except, surrounded) == NULL) {
            text_printf(out, "%s`%.*s`", separator, (int)length, word);
            separator = ", ";
        }
        word += length + 1;
    }
}

static void add_command(CommandKind kind, const char *what, Text *out)
{
    const CommandMembers *members = command_members(kind);
    const char *one_of = command_one_of(kind);
    char known[64];
    text_printf(out, "| `%s` | %s | ", command_name(kind), what);
    add_words(members->needed, "", out);
    if (one_of[0] != '\0') {
        text_add(out, members->needed[1] != '\0' ? ", one of " : "one of ");
        add_words(one_of, "", out);
    }
    text_add(out, " | ");
    snprintf(known, sizeof known, "%s%s", members->needed, one_of);
    add_words(members->allowed, known, out);
    text_add(out, " |\n");
}

static void add_commands(Text *out)
{
    text_add(out, "\n### Commands: `do`\n\n"
                  "Every command has `do` and `name`, and `at` or `after`.\n\n"
                  "| `do` | effect | needs | may have |\n| --- | --- | --- | --- |\n");
#define X(kind, name, what) add_command(COMMAND_##kind, what, out);
    SERVICE_COMMANDS(X)
    text_add(out, "\n### Faults: `do`\n\n"
                  "Every fault has `do`, and one of `at`, `after` and `when`.\n\n"
                  "| `do` | effect | needs | may have |\n| --- | --- | --- | --- |\n");
    FAULT_KINDS(X)
#undef X
    text_add(out, "\n### API faults: `do`\n\n| `do` | effect |\n| --- | --- |\n");
#define X(kind, name, what) text_add(out, "| `" name "` | " what " |\n");
    API_FAULT_KINDS(X)
#undef X
}

static void add_moments(Text *out)
{
    text_add(out,
             "\n### Moments\n\n"
             "`after` of a command or fault, and `of`, `before`, `then` and `order` of an "
             "expectation, name a moment. ` + 5m` after it means so much later. An "
             "epoch counts when it begins, a step, counted over all epochs, when it ends. "
             "`checkpoint N` is the one after epoch N; `saved N` is the first one with N steps "
             "or more, after an epoch, within it or on notice of preemption. Expectations name "
             "no steps.\n\n");
    trigger_reference(out);
    text_add(out,
             "\n### Conditions\n\n"
             "`when` of a fault, and `always`, `never`, `sometimes` and `eventually` of an "
             "expectation, are conditions: `NOUN NAME QUANTITY`, then `<`, `<=`, `==`, `!=`, `>=` "
             "or `>` and a number, then `for TIME` if the condition must have held so long. "
             "A quantity that is 0 or 1 needs no number: it is then 1.\n\n");
#define X(name, noun, text) text_add(out, "- `" noun " NAME " text "`\n");
    QUANTITIES(X)
#undef X
}

static void add_policies(Text *out)
{
    text_add(out, "\n### Policies\n\n| `policy` | which job starts next |\n| --- | --- |\n");
#define X(name, function, text, sight, first, victim, what)                                        \
    text_add(out, "| `" text "` | " what " |\n");
    POLICIES(X)
#undef X
    text_add(out, "\n| `placement` | which node gives a job its GPUs |\n| --- | --- |\n");
#define X(name, function, text, what) text_add(out, "| `" text "` | " what " |\n");
    PLACEMENTS(X)
#undef X
    text_add(out,
             "\n| `kind_choice` | on which kind of nodes a job starts if it fits on several |\n"
             "| --- | --- |\n");
#define X(name, text, what) text_add(out, "| `" text "` | " what " |\n");
    KIND_CHOICES(X)
#undef X
    text_add(out, "\nAmong equal nodes the one at the lowest place is taken. A job of at most as "
                  "many GPUs as a node has runs on one node. A larger one takes whole free nodes, "
                  "and the remainder of its GPUs from one further node.\n");
}

/* --- Catalogues --- */

static void add_catalogue(Reference *reference, Text *out)
{
    text_add(
        out,
        "\n## Catalogues\n\n"
        "A catalogue holds numbers of the real world, each with its source:\n\n"
        "```json\n"
        "{\n"
        "  \"catalog\": 1,\n"
        "  \"sources\": {\"list\": {\"title\": \"price list, East US\", \"date\": \"2022\"}},\n"
        "  \"vm_sizes\": {\n"
        "    \"Standard_NC6\": {\n"
        "      \"vcpus\": {\"value\": 6, \"source\": \"list\"},\n"
        "      \"network_rate\": {\"value\": \"1Gbit/s\", \"source\": \"list\", \"assumption\": "
        "true,\n"
        "                       \"note\": \"never published; what a transfer log allows\"}\n"
        "    }\n"
        "  }\n"
        "}\n"
        "```\n\n"
        "- `catalog`: 1, the version of this format. `description`: a text for people.\n"
        "- `sources`: what the values come from; each source has a `title` and a `date`.\n"
        "- `include`: a list of catalogue files that are read before this one.\n"
        "- A value has `value` and `source`. `note` says how it was derived. `\"assumption\": "
        "true` marks a value without a published source, and needs a note. `error` and `range` "
        "are written by `trainyard calibrate`: the ratio by which a second calibration may "
        "differ, and what was measured.\n"
        "- `throughputs`: a list of measurements on one GPU, each with `gpu`, `network`, "
        "`framework`, `batch`, `samples_per_s` and `source`, and possibly `exchange`, "
        "`calibrates` and `note`.\n\n"
        "Files are read in order. A later file may change single values and add entries; after "
        "the last one every entry must have all its values. Names are compared without case. "
        "Quantiles are written `{\"0\": \"1s\", \"0.5\": \"2s\", \"1\": \"20s\"}`, or with "
        "`min`, `median` and `max`. A distribution is a value, quantiles, or a formula: "
        "`{\"exponential\": MEAN}`, `{\"weibull\": {\"scale\": \"300h\", \"shape\": 0.75}}`, "
        "`{\"lognormal\": {\"median\": \"54m\", \"sigma\": 1.9}}`.\n");
    for (int32_t i = 0; i < CATALOG_SECTION_COUNT; i++)
        reference_add(reference, &catalog_shapes[i].type, out);
}

void format_reference(Text *out)
{
    Reference reference = {.examples = format_examples};
    text_add(out, "# File formats\n\n"
                  "<!-- Generated by `trainyard schema --markdown`; do not edit. -->\n\n"
                  "The files that trainyard reads: scenarios, the job.json and cluster.json of "
                  "Batch AI, and catalogues. Scenarios and catalogues are JSON with `//` and "
                  "`/* */` comments. Unknown members are errors. `trainyard validate FILE` checks "
                  "any of these files, and `trainyard schema` prints their JSON Schemas for "
                  "editors.\n\n"
                  "## Values\n\n");
    reference_value_kinds(out);
    text_add(out, "\n## Scenarios\n");
    reference_add(&reference, &scenario_type, out);
    add_commands(out);
    add_moments(out);
    add_policies(out);
    text_add(out, "\n## cluster.json\n");
    reference_add(&reference, &cluster_file_type, out);
    text_add(out, "\n## job.json\n");
    reference_add(&reference, &job_file_type, out);
    add_catalogue(&reference, out);
}
