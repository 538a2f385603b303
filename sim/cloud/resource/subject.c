#include "sim/cloud/resource/subject.h"

#include "sim/base/name_table.h"
#include "sim/cloud/record/ids.h"

enum { SUBJECT_KINDS = 2 }; /* clusters and jobs */
static const CommandKind subject_kinds[SUBJECT_KINDS] = {COMMAND_CLUSTER_CREATE,
                                                         COMMAND_JOB_CREATE};

/* `known` has the names that were looked up so far. Each new row is compared with them once, so a
 * repeated lookup does not search all jobs. */
struct Subjects {
    Names *names;
    SubjectRows source;
    bool is_asked;                      /* whether any name was ever looked up */
    NameTable *known;                   /* names_subject_key -> row; ID_NONE: no row */
    uint32_t rows_added[SUBJECT_KINDS]; /* rows that `known` takes into account */
};

Subjects *subjects_create(Arena *run, Names *names, SubjectRows source)
{
    Subjects *subjects = ARENA_NEW(run, Subjects);
    *subjects = (Subjects){.names = names, .source = source, .known = name_table_create(run)};
    return subjects;
}

static bool is_leaving(const Subjects *subjects, CommandKind made_by, uint32_t row)
{
    return subjects->source.is_leaving(subjects->source.owner, made_by, row);
}

static bool is_forgotten(const Subjects *subjects, CommandKind made_by, uint32_t row)
{
    return is_leaving(subjects, made_by, row) &&
           subjects->source.path(subjects->source.owner, made_by, row).name == NULL;
}

/* Rows are added in the order of their creation. The newer of two rows with a name is known, unless
 * only the newer is being deleted. */
static void add_row(Subjects *subjects, CommandKind made_by, ResourcePath name_path, uint32_t row)
{
    uint32_t before;
    const char *key = names_subject_key(subjects->names, made_by, name_path);
    if (name_table_find(subjects->known, key, &before) &&
        (before == ID_NONE || !is_leaving(subjects, made_by, row) ||
         is_leaving(subjects, made_by, before)))
        name_table_set(subjects->known, key, row);
}

static void add_new_rows(Subjects *subjects)
{
    for (int k = 0; k < SUBJECT_KINDS; k++) {
        const CommandKind made_by = subject_kinds[k];
        const uint32_t count = subjects->source.count(subjects->source.owner, made_by);
        for (uint32_t row = subjects->rows_added[k]; row < count; row++) {
            ResourcePath path = subjects->source.path(subjects->source.owner, made_by, row);
            add_row(subjects, made_by, path, row);
            add_row(subjects, made_by, (ResourcePath){.name = path.name}, row);
        }
        subjects->rows_added[k] = count;
    }
}

/* Adds the name to `known` without a row; add_new_rows then looks at all rows again. */
static void restart_search(Subjects *subjects, CommandKind made_by, ResourcePath name_path)
{
    name_table_set(subjects->known, names_subject_key(subjects->names, made_by, name_path),
                   ID_NONE);
    for (int k = 0; k < SUBJECT_KINDS; k++)
        subjects->rows_added[k] = 0;
}

static void drop_row(Subjects *subjects, CommandKind made_by, ResourcePath name_path, uint32_t row)
{
    uint32_t known;
    const char *key = names_subject_key(subjects->names, made_by, name_path);
    if (name_table_find(subjects->known, key, &known) && known == row)
        restart_search(subjects, made_by, name_path);
}

void subject_leaves(Subjects *subjects, CommandKind made_by, ResourcePath path, uint32_t row)
{
    if (!subjects->is_asked)
        return;
    drop_row(subjects, made_by, path, row);
    drop_row(subjects, made_by, (ResourcePath){.name = path.name}, row);
}

bool subjects_are_asked(const Subjects *subjects)
{
    return subjects->is_asked;
}

uint32_t subject_row(Subjects *subjects, CommandKind made_by, const char *name)
{
    const ResourcePath name_path = {.name = name};
    subjects->is_asked = true;
    if (!name_table_find(subjects->known, names_subject_key(subjects->names, made_by, name_path),
                         NULL))
        restart_search(subjects, made_by, name_path);
    add_new_rows(subjects);
    uint32_t row = ID_NONE;
    name_table_find(subjects->known, names_subject_key(subjects->names, made_by, name_path), &row);
    return row != ID_NONE && is_forgotten(subjects, made_by, row) ? ID_NONE : row;
}
