/* A life of a state folder: the emulator is opened, loses its power, and is opened again, on a disk
 * that fails as the seed says. */
#ifndef TESTS_EMU_FAULTS_LIFE_H
#define TESTS_EMU_FAULTS_LIFE_H

#include <stdbool.h>
#include <stdint.h>

/* Begins the life of the seed, with the emulator open. */
void life_begin(uint64_t seed, bool has_network);
/* The path of a name in the folder of this life, outside of its disk unless it begins with "disk/".
 */
const char *life_folder(const char *name);
/* The disk fails from here on as the life's kind says, and one time in `cut_in` its power is cut
 * soon. */
void life_set_faults(uint64_t cut_in);
/* An orderly end: a snapshot is written, and the power may be cut before its end. */
void life_rest(void);
/* Ends the emulator, by a power cut or not, and opens it again, on a disk that may fail while it
 * does. In the end it must open. Some starts from snapshots are compared with starts from the
 * journal alone. */
void life_restart(bool is_cut);
void life_end(void);

#endif
