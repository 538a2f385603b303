/* The image of a session's memory: a file that a later process of the same program reads back to
 * the same address, so that nothing is built again.
 *
 * Its addresses are those of the process that wrote it. So it is used by the same build of the
 * program, at the same place, alone.
 *
 * No word in it may be the address of other memory of the process that wrote it: of libraries,
 * stacks, the C library's heap. The session's owner sees to that (kept_detach). But a number may
 * look like such an address, and so may the bytes between the members of a struct. The image lists
 * the pages that such words would mean. A process that has memory there itself does not use the
 * image; any other one keeps these pages without memory (guarded_pages.h), so that a word that is
 * an address after all ends the process, and never leads to other memory.
 *
 * The file has the bytes of an ImageHeader and then the parts of the heap. It is trusted like the
 * program: the checksum finds damage, not malice. */
#ifndef EMU_SESSION_IMAGE_H
#define EMU_SESSION_IMAGE_H

#include "emu/session/session_memory.h"
#include "sim/base/status.h"

/* Which image a file contains. */
typedef struct {
    int64_t bytes;
    uint64_t checksum; /* checksum_wide (sim/base/checksum.h) of all of them */
} ImageFacts;

/* Writes the image to `path`, replacing what is there, and syncs it. The heap is collected, and its
 * root (heap_keep) is in it. STATUS_MACHINE for the disk, STATUS_CONFLICT where the memory cannot
 * be used by another process. */
MUST_CHECK bool session_image_write(const SessionMemory *memory, const char *path,
                                    ImageFacts *facts, Status *status);
/* Reads it into memory that is reserved and not begun; its arena stays NULL. On failure the memory
 * is as before; the status says why the image cannot be used: STATUS_CONFLICT if another build
 * wrote it, or its address is taken; else the file is not there or is damaged. */
MUST_CHECK bool session_image_read(SessionMemory *memory, const char *path, ImageFacts facts,
                                   Status *status);

#endif
