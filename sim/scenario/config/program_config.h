/* Programs: what the command lines of jobs do, from the scenario's "programs". */
#ifndef SIM_SCENARIO_PROGRAM_CONFIG_H
#define SIM_SCENARIO_PROGRAM_CONFIG_H

#include "sim/scenario/config/variables.h"

/* Refuses (false) a program that neither trains nor takes a time, or names what the catalogue does
 * not have; one with refused values is not sound either. Done once for every program of a scenario,
 * used or not. */
bool program_check(const ConfigContext *context, const ProgramText *text);

/* Says what is wrong with the program of all other commands. */
void program_check_other(const ConfigContext *context, const OtherText *text);

/* The first program whose glob covers the whole command line, or the script's path alone (NULL:
 * none); NULL when there is none. */
const KnownProgram *program_find(const ConfigContext *context, const char *command,
                                 const char *script);

/* The facts about a job that its program depends on. */
typedef struct {
    bool is_known; /* else all the rest is not */
    int32_t nodes;
    int32_t processes;
    const VmSize *vm_size;
} JobShape;

/* The program of the job that runs `command`: paths located and, when it is sound and the shape
 * known, expressions evaluated. Whole when there is no problem. */
const Program *program_build(const ConfigContext *context, const KnownProgram *known,
                             const char *command, JobShape shape, const Variables *variables);
/* A script of simple commands as a program. */
const Program *program_shell(Arena *arena, const ShellScript *script);
/* A program that runs outside of the world, with these mounts; `training` (NULL: none) is the
 * training that it performs. */
const Program *program_real(Arena *arena, const Mounts *mounts, const Program *training);
/* The program of every command that no other rule describes; NULL when it was refused. */
const Program *program_other(const ConfigContext *context, const OtherText *text);

#endif
