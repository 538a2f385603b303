/* Jobs: bodies are checked by the tables of job.json, answers made of what was asked for and of
 * what the world says now. */
#ifndef EMU_BATCHAI_JOB_H
#define EMU_BATCHAI_JOB_H

#include "emu/arm/resource.h"

ArmHandler jobs_list, jobs_create, jobs_get, jobs_delete, jobs_terminate, jobs_list_logins;
ArmShow job_show;

#endif
