#include "sim/base/file_source.h"

bool file_is_missing(const char *path, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, place_in(path, 0, 0), "there is no such file");
}
