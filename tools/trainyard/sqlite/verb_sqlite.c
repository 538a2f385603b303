/* trainyard sqlite: the tables of a sweep as a database of SQLite. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "sim/formats/csv.h"
#include "sim/json/json.h"
#include "sim/study/outcome.h"
#include "tools/trainyard/sqlite/results_database.h"
#include "tools/trainyard/sqlite/sqlite_options.h"

enum { TABLE_BYTES_MAX = INT32_MAX };

typedef struct {
    Arena *arena;
    const char *folder;
    ResultsDatabase *database;
} Copy;

static const struct {
    const char *file, *table;
    bool is_optional;
} tables[] = {
    {"results.csv", "results", false}, {"points.csv", "points", false},
    {"jobs.csv", "jobs", true},        {"plan.csv", "plan", true},
    {"fresh.csv", "fresh", true},      {"winner-jobs.csv", "winner_jobs", true},
};

static bool add_tables(const Copy *copy, Status *status)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const char *path = arena_printf(copy->arena, "%s/%s", copy->folder, tables[i].file);
        char *csv;
        size_t length;
        if (tables[i].is_optional && access(path, F_OK) != 0)
            continue;
        if (!file_read(copy->arena, path, TABLE_BYTES_MAX, &csv, &length, status) ||
            !results_database_add(copy->database, tables[i].table, path, csv, status))
            return false;
    }
    return true;
}

/* Adds a row for each member of `object` except lists; members of objects in it have
 * names with a dot. */
static void add_members(const Json *object, const char *prefix, Text *out)
{
    for (const Json *member = object->first; member != NULL; member = member->next) {
        Text name = {0}, value = {0};
        text_printf(&name, "%s%s", prefix, member->key);
        if (member->kind == JSON_STRING)
            text_add(&value, member->text);
        else
            json_print(&value, member, JSON_COMPACT);
        if (member->kind != JSON_ARRAY && member->kind != JSON_OBJECT) {
            csv_text(out, text_string(&name));
            csv_text(out, text_string(&value));
            csv_end(out);
        } else if (member->kind == JSON_OBJECT) {
            text_add(&name, ".");
            add_members(member, text_string(&name), out);
        }
        text_free(&name);
        text_free(&value);
    }
}

static bool add_study(const Copy *copy, const Json *study, Status *status)
{
    Text rows = {0};
    text_add(&rows, "name,value\n");
    add_members(study, "", &rows);
    const bool is_added =
        results_database_add(copy->database, "study", study->at.source, text_string(&rows), status);
    text_free(&rows);
    return is_added;
}

/* Writes the database next to `path` and renames it. */
static bool copy_tables(Arena *arena, const char *folder, const char *path, Status *status)
{
    const char *temporary = arena_printf(arena, "%s.new", path);
    Problems problems = problems_create(arena);
    const Json *study = study_folder_load(arena, disk_files, folder, &problems);
    if (study == NULL) {
        *status = problems.items[0];
        return false;
    }
    unlink(temporary);
    Copy copy = {.arena = arena, .folder = folder};
    copy.database = results_database_create(arena, temporary, status);
    if (copy.database == NULL)
        return false;
    bool is_copied = add_study(&copy, study, status) && add_tables(&copy, status);
    if (is_copied)
        is_copied = results_database_close(copy.database, status);
    else
        results_database_abandon(copy.database);
    if (is_copied && rename(temporary, path) != 0)
        is_copied = file_failed(path, status);
    if (!is_copied)
        unlink(temporary);
    return is_copied;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    SqliteOptions options = {0};
    Operands operands;
    Status status = {0};
    int exit_code;
    if (options_read(&sqlite_option_table, arena, argc, argv, &options, &operands, &exit_code)) {
        const char *folder = operands.items[0];
        const char *path = options.output != NULL
                               ? options.output
                               : arena_printf(arena, "%s/results.sqlite", folder);
        exit_code = copy_tables(arena, folder, path, &status) ? EXIT_FINE : report_status(&status);
    }
    arena_destroy(arena);
    return exit_code;
}
