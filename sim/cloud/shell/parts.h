/* The inside of the shell, for shell*.c. */
#ifndef SIM_CORE_SHELL_PARTS_H
#define SIM_CORE_SHELL_PARTS_H

#include "sim/base/text.h"
#include "sim/cloud/shell/shell.h"

/* Bytes on their way, piece by piece. */
typedef struct {
    Arena *arena;
    int32_t count, capacity;
    FilePart *items;
    int64_t bytes;
    int32_t depth; /* as StoredFile's */
} PartList;

void parts_add(PartList *list, const FileSet *files, FilePart part);
/* All that is in a file: its pieces where they are few, else the file itself, which is kept. */
void parts_add_file(PartList *list, FileSet *files, uint32_t file);

/* --- Places --- */

typedef struct {
    uint32_t volume;
    const char *path; /* in the volume, tidy; "" is its root */
    bool is_share;
    bool is_null; /* /dev/null */
} ShellPlace;

ShellPlace shell_place(ShellRun *run, const char *path);
/* Without "." and "..", and without a slash at its end: "" is the root. */
const char *shell_absolute(ShellRun *run, const char *path);
bool shell_is_directory(const ShellRun *run, ShellPlace place);
uint32_t shell_find(const ShellRun *run, ShellPlace place); /* FILE_NONE: no such file */
/* NULL when a file can be made there, else why not: "No such file or directory". */
const char *shell_cannot_write(const ShellRun *run, ShellPlace place);
void shell_write(ShellRun *run, ShellPlace place, const PartList *contents);
/* Takes away a file that is there; /dev/null stays. */
void shell_remove(ShellRun *run, ShellPlace place);

/* --- Commands --- */

typedef enum { TO_PRINT, TO_PIPE, TO_FILE, TO_NOTHING } ShellTargetKind;

/* Where a stream of a command leads. */
typedef struct {
    ShellTargetKind kind;
    bool is_error;     /* TO_PRINT: standard error */
    ShellPlace place;  /* TO_FILE */
    PartList contents; /* TO_FILE: all of it; TO_PIPE */
    bool is_changed;   /* TO_FILE */
} ShellTarget;

/* One command as it runs. */
typedef struct {
    ShellRun *run;
    const ShellCommand *command;
    Arena *arena; /* for as long as the pipeline runs */
    int32_t count;
    const char **words; /* [count], behind the command's name */
    PartList *input;    /* NULL: empty */
    ShellTarget *streams[3];
    bool is_alone; /* not one of several in a pipeline */
    int64_t sleep_ns;
} ShellFrame;

/* Writes to stream 1 or 2. */
void shell_print(ShellFrame *frame, int stream, const char *text, size_t length);
void shell_printf(ShellFrame *frame, int stream, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void shell_pass_on(ShellFrame *frame, const PartList *list);
/* A message of the shell itself, without a line feed: "bash: line 1: ". */
void shell_complain(ShellFrame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Runs the command of `frame`; its exit status. */
int32_t shell_command(ShellFrame *frame);

/* --- Words (shell_words.c) --- */

const char *shell_variable(const ShellRun *run, const char *name); /* "" when it is not set */
void shell_set_variable(ShellRun *run, const char *name, const char *value);
/* One text, whatever is in it. */
const char *shell_join(const ShellRun *run, const ShellWord *word, Arena *arena);
/* None, one or several for each: cut at blanks that are not quoted. */
const char **shell_split(const ShellRun *run, const ShellWord *words, int32_t word_count,
                         Arena *arena, int32_t *count);

/* --- Texts (shell_text.c) --- */

/* How a text with escapes is printed. */
typedef enum {
    ESCAPES_BASH_ECHO, /* echo -e */
    ESCAPES_DASH_ECHO,
    ESCAPES_FORMAT, /* of printf */
} ShellEscapes;

/* Copies `text` with its escapes resolved; false at "\c": nothing more is printed. */
bool shell_unescape(Text *out, const char *text, ShellEscapes escapes);
/* printf's format, again as long as there are arguments. shell_read has seen to it that format and
 * numbers are of the kind that is known. */
void shell_format(Text *out, const char *format, const char *const *arguments, int32_t count);
#endif
