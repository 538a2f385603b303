/* Inside changes_of: the scenario as lists of clusters and jobs with their pointers. Private to
 * sim/study/advice. */
#ifndef SIM_STUDY_ADVICE_LISTING_H
#define SIM_STUDY_ADVICE_LISTING_H

#include "sim/study/advice/changes.h"

typedef struct {
    int32_t command; /* index in "commands" of the file */
    const char *name;
    const Json *properties; /* of its config; NULL: it has none */
    const ClusterSpec *spec;
} ListedCluster;

typedef struct {
    int32_t command;  /* index in "commands"; -1: of a workload */
    const char *name; /* of the job or workload */
    const char *cluster;
    const Json *properties;
    const JobSpec *spec;
} ListedJob;

typedef struct {
    Arena *arena;
    const ScenarioFile *file;
    Changes *changes;
    int32_t cluster_count, job_count;
    const ListedCluster *clusters;
    const ListedJob *jobs; /* each shape of a workload is one */
} Listing;

/* A change while it is made. */
typedef struct {
    Change *change; /* NULL: there are CHANGES_MAX */
    Setting *settings;
} ChangeDraft;

/* Begins a change; `cluster` NULL, or one whose name the change has if there are several. */
ChangeDraft change_begin(const Listing *listing, ChangeKind kind, const ListedCluster *cluster,
                         const char *name);
/* Sets the value at `pointer`, JSON as of --set. */
void change_set(ChangeDraft *draft, const char *pointer, const char *value);

/* "/commands/3/config/properties/vmSize" */
const char *config_pointer(Arena *arena, int32_t command, const char *key);

void list_nodes(const Listing *listing);
void list_vm_sizes(const Listing *listing);
void list_priorities(const Listing *listing);
void list_scalings(const Listing *listing);
void list_checkpoints(const Listing *listing);
void list_policies(const Listing *listing);
void list_placements(const Listing *listing);

#endif
