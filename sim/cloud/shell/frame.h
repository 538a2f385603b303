/* Private to sim/cloud/shell: a running command with its streams and redirections. */
#ifndef SIM_CLOUD_SHELL_FRAME_H
#define SIM_CLOUD_SHELL_FRAME_H

#include "sim/cloud/shell/place.h"

typedef enum { TO_PRINT, TO_PIPE, TO_FILE, TO_NOTHING } ShellTargetKind;

/* The target of a stream. */
typedef struct {
    ShellTargetKind kind;
    bool is_error;     /* TO_PRINT: standard error */
    ShellPlace place;  /* TO_FILE */
    PartList contents; /* TO_FILE: the whole file; TO_PIPE: the bytes written so far */
    bool is_changed;   /* TO_FILE: written to since the file was last stored */
} ShellTarget;

/* A running command. */
typedef struct {
    ShellRun *run;
    const ShellCommand *command;
    Arena *arena; /* for as long as the pipeline runs */
    int32_t count;
    const char **words; /* [count], after the command's name */
    PartList *input;    /* NULL: empty */
    ShellTarget *streams[3];
    bool is_alone; /* the only command of its pipeline */
    int64_t sleep_ns;
} ShellFrame;

/* Writes to stream 1 or 2. */
void shell_print(ShellFrame *frame, int stream, const char *text, size_t length);
void shell_printf(ShellFrame *frame, int stream, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes `list` (NULL: nothing) to stream 1. */
void shell_pass_on(ShellFrame *frame, const PartList *list);
/* Prints a message of the shell itself to stream 2, after "bash: line 1: ". */
void shell_print_error(ShellFrame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Applies the redirections of the command; on failure prints a message and returns false. */
bool shell_redirect(ShellFrame *frame);
/* Stores the files that streams were written to. */
void shell_close_files(ShellFrame *frame);
ShellTarget *shell_new_target(ShellFrame *frame, ShellTargetKind kind);

#endif
