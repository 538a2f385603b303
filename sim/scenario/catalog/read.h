/* From catalogue files (scenarios/catalog/) to the structs of sim/cloud/spec/catalog.h: the numbers
 * of the real world, each with its source and date.
 *
 *     {
 *       "catalog": 1,
 *       "sources": {"list": {"title": "price list, East US", "date": "2022"}},
 *       "vm_sizes": {
 *         "Standard_NC6": {
 *           "vcpus": {"value": 6, "source": "list"},
 *           "network_rate": {"value": "1Gbit/s", "source": "list", "assumption": true,
 *                            "note": "never published; what a transfer log allows"},
 *           ...
 *
 * A value is {"value", "source"} and possibly "note" (how it was derived). "source" names an
 * entry of "sources" in the same file. "assumption": true marks a value without a published
 * source; it needs a note that gives the reason. A value measured by `trainyard calibrate` also
 * has "error" and "range". "error" is a ratio: another calibration of the same machine under the
 * same load changes the times that follow from the value by at most this ratio. "range" states in
 * words what range was measured.
 *
 * Files are read in order, and a later file may change single values or add entries: a what-if
 * catalogue contains only its changes. "include": ["networks.json"] names files, in the same
 * folder, that are read before this one. After the last file every entry must be complete.
 * Numbers with units are strings ("4.37Tflop/s", "0.90USD", "28%", "1.5", and those of
 * sim/base/units.h) and are read exactly; counts are JSON integers. A distribution is one value,
 * or quantiles {"0": "1s", "0.5": "2s", "1": "20s"}, or {"min": ..., "median": ..., "max": ...}
 * for the same three. A distribution may also be a formula: {"exponential": MEAN}, {"weibull":
 * {"scale": "300h", "shape": 0.75}}, {"lognormal": {"median": "54m", "sigma": 1.9}}. A network
 * is a list of layers (layers.h), a measured curve an object of points, {"4": "1.2ms", "96":
 * "25ms"} (sim/model/curve.h). The sections and fields are tables in fields.c. */
#ifndef SIM_SCENARIO_CATALOG_READ_H
#define SIM_SCENARIO_CATALOG_READ_H

#include "sim/cloud/spec/catalog.h"
#include "sim/json/json.h"
#include "sim/model/transformer/machine.h"
#include "sim/model/transformer/shape.h"

typedef struct Catalog Catalog;

typedef enum {
    CATALOG_GPUS,
    CATALOG_VM_SIZES,
    CATALOG_QUOTAS,
    CATALOG_SHARE_TIERS,
    CATALOG_IMAGES,
    CATALOG_SERVICE,
    CATALOG_NETWORKS,
    CATALOG_DATA_SETS,
    CATALOG_FRAMEWORKS,
    CATALOG_EXCHANGES,
    CATALOG_LEARNING_CURVES,
    CATALOG_JITTERS,
    CATALOG_STACKS,
    CATALOG_PREPARATIONS,
    CATALOG_FAILURE_MODELS,
    CATALOG_PREEMPTIONS,
    CATALOG_STAGE_TIMES,
    CATALOG_KIND_TIMES,
    CATALOG_SIDE_BY_SIDE,
    CATALOG_EXCHANGE_TIMES,
    CATALOG_TRANSFORMERS,
    CATALOG_TRANSFORMER_GPUS,
    CATALOG_TRANSFORMER_FABRICS,
    CATALOG_TRANSFORMER_SOFTWARE,
    CATALOG_TRANSFORMER_ROUTING,
    CATALOG_POWER,
    CATALOG_ENERGY,
    CATALOG_SECTION_COUNT
} CatalogSection;

typedef struct {
    const char *name;
    Quantiles values;
} NamedQuantiles;

/* Software that is used together, under its usual name. */
typedef struct {
    const char *name; /* "tf1.8-horovod0.13.2" */
    const Framework *framework;
    const ExchangeMethod *mpi_host; /* MPI, through the memory of the host; NULL: not available */
    const ExchangeMethod *nccl;     /* NCCL; NULL: not available */
    const Quantiles *jitter;        /* of steps on machines without other users */
} SoftwareStack;

/* A value with its source. */
typedef struct {
    const char *path;  /* "vm_sizes/Standard_NC6/vcpus" */
    const char *value; /* as the file writes it: "1Gbit/s", "6", a distribution as JSON; for layers
                          a summary */
    const char *source;
    const char *date;
    const char *note; /* this and the next two are "" when absent */
    const char *error;
    const char *range;
    bool is_assumption;
    Place at;
} CatalogValue;

/* The most files that one file may include. */
enum { CATALOG_INCLUDES_MOST = 16 };

/* The catalogue of `count` >= 1 trees, in which the trees of included files have replaced their
 * names. It lives in `arena` and borrows the places of the trees. NULL, with all problems added
 * to `problems`, when a file is not valid. */
Catalog *catalog_read(Arena *arena, const Json *const *roots, int32_t count, Problems *problems);

/* Lookups ignore letter case and give NULL for an unknown name. */
const GpuModel *catalog_gpu(const Catalog *catalog, const char *name);
const VmSize *catalog_vm_size(const Catalog *catalog, const char *name);
const CoreQuota *catalog_quota(const Catalog *catalog, const char *family);
const ShareTier *catalog_share_tier(const Catalog *catalog, const char *name);
/* An image that is not listed (`*is_listed` false) has the size of the entry called "*", at the
 * quantile that its name stands for: an image has one size, so it is the same in every run. NULL if
 * the catalogue has neither. In `arena`. */
const ContainerImage *catalog_image(Arena *arena, const Catalog *catalog, const char *name,
                                    bool *is_listed);
const NetworkModel *catalog_network(const Catalog *catalog, const char *name);
const DataSet *catalog_data_set(const Catalog *catalog, const char *name);
const Framework *catalog_framework(const Catalog *catalog, const char *name);
const ExchangeMethod *catalog_exchange(const Catalog *catalog, const char *name);
const SoftwareStack *catalog_stack(const Catalog *catalog, const char *name);
const LearningCurve *catalog_learning_curve(const Catalog *catalog, const char *name);
/* Factors on a rank's own work, 1,000,000 = as modelled. */
const Quantiles *catalog_jitter(const Catalog *catalog, const char *name);
/* The duration of the preparation command `command_line` on a node. Names of this section are
 * patterns (sim/schema/glob.h). The longest pattern that matches the whole command is used, because
 * it is the most specific. `name`, when not NULL, receives it. NULL when no pattern matches. */
const Quantiles *catalog_preparation(const Catalog *catalog, const char *command_line,
                                     const char **name);
const ServiceModel *catalog_service(const Catalog *catalog);
/* Members that the catalogue does not state change nothing. */
EnergyTerms catalog_energy(const Catalog *catalog);
const FailureModel *catalog_failure_model(const Catalog *catalog, const char *name);
const Preemption *catalog_preemption(const Catalog *catalog, const char *family);
const TransformerShape *catalog_transformer(const Catalog *catalog, const char *name);
const TransformerGpu *catalog_transformer_gpu(const Catalog *catalog, const char *name);
const TransformerFabric *catalog_transformer_fabric(const Catalog *catalog, const char *name);
const TransformerSoftware *catalog_transformer_software(const Catalog *catalog, const char *name);
const TransformerRouting *catalog_transformer_routing(const Catalog *catalog, const char *name);
/* All rows of all files, in their order (sim/scenario/catalog/throughputs.h). */
Throughputs catalog_throughputs(const Catalog *catalog);

/* The names of a section in the order of the files, for hints; `*count` of them. */
const char *const *catalog_names(const Catalog *catalog, CatalogSection section, int32_t *count);
/* "vm_sizes" */
const char *catalog_section_name(CatalogSection section);

/* Durations as the catalogue and scenarios write them: "5s", quantiles or a formula as above.
 * False, with the place and the expected form in `status`, when `json` is not one of them. */
MUST_CHECK bool distribution_read(Arena *arena, const Json *json, Distribution *distribution,
                                  Status *status);

/* Calls `value` once for every value, in the order of sections, entries and fields. If several
 * files set a value, it is that of the last file. */
void catalog_each_value(const Catalog *catalog, void *context,
                        void (*value)(void *context, const CatalogValue *value));
/* The value at `path` ("vm_sizes/Standard_NC6/vcpus", case ignored), or NULL. */
const CatalogValue *catalog_value(const Catalog *catalog, const char *path);

#endif
