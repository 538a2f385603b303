/* Files on this machine's disk as a FileSource; at most 1 GiB each. */
#ifndef SIM_CLI_DISK_FILES_H
#define SIM_CLI_DISK_FILES_H

#include "sim/base/file_source.h"

extern const FileSource disk_files;

#endif
