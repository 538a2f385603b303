/* Finds the cluster or job that a name in a condition or query means. */
#ifndef SIM_CLOUD_RESOURCE_SUBJECT_H
#define SIM_CLOUD_RESOURCE_SUBJECT_H

#include "sim/cloud/resource/names.h"

typedef struct Subjects Subjects;

/* The tables of clusters (COMMAND_CLUSTER_CREATE) and jobs (COMMAND_JOB_CREATE), in the order of
 * their creation; filled in by the world. */
typedef struct {
    void *owner;
    uint32_t (*count)(void *owner, CommandKind made_by);
    ResourcePath (*path)(void *owner, CommandKind made_by, uint32_t row); /* no name: forgotten */
    bool (*is_leaving)(void *owner, CommandKind made_by, uint32_t row);   /* deleting or deleted */
} SubjectRows;

/* Lives as long as `run`. */
Subjects *subjects_create(Arena *run, Names *names, SubjectRows source);
/* The row of the cluster or job called `name`: "gpu", or in full "workspace/gpu" or
 * "workspace/experiment/train". If several have the name: the newest that is not being deleted, or
 * the newest if all are. ID_NONE: none ever had the name, or it is forgotten. */
uint32_t subject_row(Subjects *subjects, CommandKind made_by, const char *name);
/* Whether any name was ever looked up. */
bool subjects_are_asked(const Subjects *subjects);
/* To be called when the deletion of a row begins: its names may mean another row from now on. */
void subject_leaves(Subjects *subjects, CommandKind made_by, ResourcePath path, uint32_t row);

#endif
