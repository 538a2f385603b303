/* The words of a script while it is read, and the traits that are known before it runs. Private to
 * shell_read.c and shell_check.c. */
#ifndef SIM_SCENARIO_SHELL_WORDS_READ_H
#define SIM_SCENARIO_SHELL_WORDS_READ_H

#include <stddef.h>

#include "sim/base/arena.h"
#include "sim/cloud/spec/script.h"
#include "sim/cloud/spec/spec.h"

/* The possible values of a word or a variable. */
typedef struct {
    const char *known;  /* the only possible value; NULL: it depends on the run */
    int64_t bytes_most; /* its length at most */
    bool may_be_cut;  /* unquoted, it may not be exactly one word: it has blanks or may be empty */
    bool has_pattern; /* it has characters of patterns */
    bool has_backslash;
    bool is_path; /* it is not an option, and not a file of the operating system */
} ShellTraits;

typedef struct {
    const char *name;
    ShellTraits traits;
} ShellKnown;

typedef struct {
    const char *source; /* as it is written */
    ShellWord word;
    ShellTraits traits;
    bool is_literal; /* written out, without variables */
    bool is_one;     /* certain to be one word when the script runs */
} ShellWordRead;

typedef struct {
    Arena *arena;
    Arena *scratch; /* for values that are known during reading */
    const char *at;
    int32_t line;
    int64_t bytes_most; /* of all words together, with the values of their variables */
    int32_t known_count, known_capacity;
    ShellKnown *known; /* variables so far */
} ShellReader;

/* The traits of a text. */
ShellTraits shell_traits_of(const char *text);
/* The variable `name`; NULL: it may be set outside of the job, with any value. */
const ShellKnown *shell_known(const ShellReader *reader, const char *name);
/* Records that the variable has a value with these traits from here on; if it is not sure, that it
 * may have such a value. */
void shell_note_variable(ShellReader *reader, const char *name, ShellTraits traits, bool is_sure);

/* Skips blanks, joined lines and a comment. */
void shell_skip_blanks(ShellReader *reader);
/* Length of the name at `text`, 0: none begins there. */
size_t shell_name_length(const char *text);
/* Reads the word that begins here; false when it is not understood. `is_value`: after NAME=,
 * where it may be empty. */
bool shell_read_word(ShellReader *reader, bool is_value, ShellWordRead *word);

/* Whether a command has operands that are understood (shell_check.c). */
bool shell_check_command(ShellReader *reader, ShellDialect dialect, ShellCommandKind kind,
                         const ShellWordRead *words, int32_t count, bool is_alone);
/* Whether the effect or the output of the command may depend on files. */
bool shell_uses_files(ShellCommandKind kind, const ShellWordRead *words, int32_t count);

#endif
