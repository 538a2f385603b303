/* Jobs. Bodies are checked by the tables of job.json. Answers combine the requested properties with
 * the present state of the world. */
#ifndef EMU_BATCHAI_JOB_H
#define EMU_BATCHAI_JOB_H

#include "emu/arm/resource.h"

ArmHandler jobs_list, jobs_create, jobs_get, jobs_delete, jobs_terminate, jobs_list_logins;
ArmShow job_show;

#endif
