/* listOutputFiles: the files that a job has written to a share. */
#ifndef EMU_BATCHAI_OUTPUT_FILES_H
#define EMU_BATCHAI_OUTPUT_FILES_H

#include "emu/arm/arm.h"

ArmHandler jobs_list_files;

#endif
