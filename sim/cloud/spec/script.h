/* A parsed command line of simple commands: sim/scenario/config/shell_read.h parses it, and
 * sim/cloud/shell/shell.h runs it. Borrowed and unchanged while the world lives. */
#ifndef SIM_CLOUD_SPEC_SCRIPT_H
#define SIM_CLOUD_SPEC_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/* The shells behave differently in some cases. Batch AI ran command lines in bash; Ubuntu's `sh` is
 * dash. */
typedef enum { SHELL_BASH, SHELL_DASH } ShellDialect;

/* The commands that are known. X(ENUM, name) */
#define SHELL_COMMANDS(X)                                                                          \
    X(ASSIGN, "") /* NAME=value */                                                                 \
    X(COLON, ":")                                                                                  \
    X(TRUE, "true")                                                                                \
    X(FALSE, "false")                                                                              \
    X(ECHO, "echo")                                                                                \
    X(PRINTF, "printf")                                                                            \
    X(EXIT, "exit")                                                                                \
    X(SLEEP, "sleep")                                                                              \
    X(EXPORT, "export")                                                                            \
    X(CD, "cd")                                                                                    \
    X(PWD, "pwd")                                                                                  \
    X(TEST, "test")                                                                                \
    X(BRACKET, "[")                                                                                \
    X(CAT, "cat")                                                                                  \
    X(TEE, "tee")                                                                                  \
    X(MKDIR, "mkdir")                                                                              \
    X(TOUCH, "touch")                                                                              \
    X(CP, "cp")                                                                                    \
    X(RM, "rm")

typedef enum {
#define X(name, text) SHELL_##name,
    SHELL_COMMANDS(X)
#undef X
        SHELL_COMMAND_COUNT
} ShellCommandKind;

typedef enum {
    SHELL_PART_TEXT,
    SHELL_PART_VARIABLE, /* $NAME */
    SHELL_PART_STATUS,   /* $? */
} ShellPartKind;

typedef struct {
    ShellPartKind kind;
    bool is_quoted;   /* not split at blanks */
    const char *text; /* of a variable: its name */
} ShellPart;

typedef struct {
    int32_t part_count;
    const ShellPart *parts;
} ShellWord;

typedef struct {
    const char *name;
    ShellWord value;
} ShellAssignment;

typedef enum {
    REDIRECT_READ,   /* < file */
    REDIRECT_WRITE,  /* > file */
    REDIRECT_APPEND, /* >> file */
    REDIRECT_COPY,   /* 2>&1 */
} ShellRedirectKind;

typedef struct {
    ShellRedirectKind kind;
    int32_t stream; /* 0 to 2 */
    int32_t copied; /* REDIRECT_COPY: 1 or 2 */
    ShellWord file;
} ShellRedirect;

typedef struct {
    ShellCommandKind kind;
    int32_t word_count;
    const ShellWord *words; /* after the command's name */
    int32_t assignment_count;
    const ShellAssignment *assignments; /* of SHELL_ASSIGN and SHELL_EXPORT */
    int32_t redirect_count;
    const ShellRedirect *redirects; /* in order */
} ShellCommand;

/* When a pipeline runs, by the status of the pipeline before it. */
typedef enum { SHELL_ALWAYS, SHELL_IF_TRUE, SHELL_IF_FALSE } ShellCondition;

/* Commands joined by "|". */
typedef struct {
    ShellCondition condition;
    int32_t line; /* from 1, for messages */
    int32_t command_count;
    const ShellCommand *commands;
} ShellPipeline;

/* A mount on the node that the script runs on. */
typedef struct {
    const char *path;   /* on the node, absolute */
    const char *share;  /* "account/share" */
    const char *folder; /* the mounted folder of the share; "": all of it */
} ShellMount;

typedef struct {
    const char *shell; /* the shell's name in the command line, for messages: "bash", "/bin/sh" */
    ShellDialect dialect;
    bool uses_files; /* its exit code may depend on files */
    int32_t pipeline_count;
    const ShellPipeline *pipelines;
    int32_t mount_count;
    const ShellMount *mounts;
} ShellScript;

/* The most bytes of a file's contents, and of a script's output, that are modelled; of longer ones
 * only the size is known. The longest script, and the longest expansion of its words, are shorter.
 */
#define SHELL_BYTES_MOST (INT64_C(64) << 20)

/* The maximum length of a conversion of printf, from '%' to its letter. */
#define SHELL_CONVERSION_MOST 16

#endif
