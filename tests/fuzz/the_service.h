/* Azure Files for fuzz targets: one service for all inputs, because to open a database takes longer
 * than all the rest. */
#ifndef TESTS_FUZZ_THE_SERVICE_H
#define TESTS_FUZZ_THE_SERVICE_H

#include "tests/emu/files_service.h"

static FilesService the_service;

static void end(void)
{
    service_remove(&the_service);
}

/* Empty again. */
static void begin(void)
{
    if (the_service.files) {
        service_end(&the_service);
        service_begin(&the_service);
        return;
    }
    the_service = service_create();
    atexit(end);
}

#endif
