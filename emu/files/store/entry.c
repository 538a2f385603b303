#include "emu/files/store/entry.h"

const char *files_failure_reason(FilesFailure failure)
{
    static const char *const reasons[] = {
#define X(name, reason) reason,
        FILES_FAILURES(X)
#undef X
    };
    return reasons[failure];
}
