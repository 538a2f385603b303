/* Where written bytes go: a file, an answer to an HTTP request, a counter. */
#ifndef SIM_BASE_BYTE_SINK_H
#define SIM_BASE_BYTE_SINK_H

#include <stddef.h>

typedef struct {
    void *to;
    /* `bytes` are borrowed for the call. NULL: the bytes are discarded. */
    void (*write)(void *to, const char *bytes, size_t length);
} ByteSink;

#endif
