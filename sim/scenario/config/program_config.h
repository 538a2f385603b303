/* Programs: what the command lines of jobs do, from the scenario's "programs". */
#ifndef SIM_SCENARIO_PROGRAM_CONFIG_H
#define SIM_SCENARIO_PROGRAM_CONFIG_H

#include "sim/scenario/config/variables.h"

/* Whether a program is sound: its values are not refused, it has one of model, duration and script,
 * and the catalogue has the entries that it names. Adds the problems. Call it once for every
 * program of a scenario, used or not. */
bool program_check(const ConfigContext *context, const ProgramText *text);

/* The first program whose pattern matches the whole command line or the script's path (`script`
 * NULL: there is no script). NULL when there is no such program. */
const KnownProgram *program_find(const ConfigContext *context, const char *command,
                                 const char *script);

/* The facts about a job that its program depends on. */
typedef struct {
    bool is_known; /* if false, the other members have no meaning */
    int32_t nodes;
    int32_t processes;
    bool states_processes; /* false: they are the toolkit's default */
    const VmSize *vm_size;
} JobShape;

/* The program of every job that runs it, if it only takes time: KnownProgram.fixed. NULL: it
 * depends on the job. */
const Program *program_fixed(Arena *arena, const ProgramText *text, bool is_sound);

/* The "speeds" of a program that only takes time; NULL: it has none. */
const Json *program_speeds(const ConfigContext *context, const Program *program);

/* The program of the job that runs `command`. Its paths are located. If it is sound and the shape
 * is known, its expressions are evaluated. It is whole when no problem was added. */
const Program *program_build(const ConfigContext *context, const KnownProgram *known,
                             const char *command, JobShape shape, const Variables *variables);
/* A script of simple commands as a program. */
const Program *program_shell(Arena *arena, const ShellScript *script);
/* A program that runs outside of the world, with these mounts; `training` (NULL: none) is the
 * training that it performs. */
const Program *program_real(Arena *arena, const Mounts *mounts, const Program *training);

#endif
