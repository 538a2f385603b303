/* Files on this machine's disk, for whoever reads through a FileSource; at most 64 MiB of each. */
#ifndef SIM_CLI_DISK_FILES_H
#define SIM_CLI_DISK_FILES_H

#include "sim/base/file_source.h"

extern const FileSource disk_files;

#endif
