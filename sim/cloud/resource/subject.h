/* Which cluster or job a name means in a condition or a question. */
#ifndef SIM_CLOUD_RESOURCE_SUBJECT_H
#define SIM_CLOUD_RESOURCE_SUBJECT_H

#include "sim/cloud/resource/names.h"

typedef struct Subjects Subjects;

/* The tables of clusters (COMMAND_CLUSTER_CREATE) and jobs (COMMAND_JOB_CREATE), in the order of
 * their creation; filled in by the world. */
typedef struct {
    void *owner;
    uint32_t (*count)(void *owner, CommandKind made_by);
    ResourcePath (*path)(void *owner, CommandKind made_by, uint32_t row);
    bool (*is_leaving)(void *owner, CommandKind made_by, uint32_t row); /* deleting or deleted */
} SubjectRows;

/* Lives as long as `run`. */
Subjects *subjects_create(Arena *run, Names *names, SubjectRows source);
/* The row of the cluster or job that is called "gpu", or in full "workspace/gpu" or
 * "workspace/experiment/train". If several have the name: the newest that is not being deleted, or
 * the newest where all are. ID_NONE: there was never one. */
uint32_t subject_row(Subjects *subjects, CommandKind made_by, const char *name);
/* The row is being deleted from now on: its name may mean another one. */
void subject_leaves(Subjects *subjects, CommandKind made_by, ResourcePath path, uint32_t row);

#endif
