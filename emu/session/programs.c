#include "emu/session/programs.h"

#include <string.h>

static bool is_set(const Session *session, const Json *program)
{
    const CommandReader *reader = session_base(session)->reader;
    for (int32_t i = 0; i < command_programs(reader); i++)
        if (json_is_same(command_program(reader, i), program))
            return true;
    return false;
}

bool programs_set(Session *session, Arena *arena, const Json *program, Problems *problems)
{
    const Json *match = json_member(program, "match");
    if (match == NULL || match->kind != JSON_STRING) {
        problems_add(problems, STATUS_BAD_INPUT, json_at(program),
                     "a program needs a text \"match\", which is missing");
        return false;
    }
    if (is_set(session, program))
        return true;
    const ResourcePath path = {.name = match->text};
    Json *command = session_command_about(arena, COMMAND_PROGRAM_SET, path);
    json_set(arena, command, "program", json_copy(arena, program, NULL));
    return session_command(session, command, NULL, problems);
}

bool programs_set_all(Session *session, Arena *arena, const char *path, const char *text,
                      size_t length, Problems *problems)
{
    const int32_t problems_before = problems->count;
    const Json *list = json_parse(arena, path, text, length, JSON_WITH_COMMENTS, problems);
    if (list != NULL && list->kind != JSON_ARRAY)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(list),
                                 "this is %s, expected an array of programs",
                                 json_kind_name(list->kind)),
                    "as in a scenario: [{\"match\": \"*/train.py*\", \"script\": \"sleep 20m\"}]");
    const bool is_list = list != NULL && list->kind == JSON_ARRAY;
    for (const Json *program = is_list ? list->first : NULL;
         program != NULL && programs_set(session, arena, program, problems);
         program = program->next)
        ;
    return problems->count == problems_before;
}

bool programs_set_option(Session *session, Arena *arena, const char *option, const char *text,
                         Problems *problems)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(option, 0, 0),
                                 "\"%s\" is not of the form GLOB=SCRIPT", text),
                    "as in '*/train.py*=sleep 20m; exit 0'");
        return false;
    }
    Json *program = json_object(arena);
    program->at = place_in(option, 0, 0);
    json_put_text(arena, program, "match", arena_strndup(arena, text, (size_t)(equals - text)));
    json_put_text(arena, program, "script", equals + 1);
    for (Json *member = program->first; member != NULL; member = member->next)
        member->at = member->key_at = program->at;
    return programs_set(session, arena, program, problems);
}

void programs_require(Session *session, bool is_required)
{
    command_be_strict(session_base(session)->reader, is_required);
}

Json *programs_list(const Session *session, Arena *arena)
{
    const CommandReader *reader = session_base(session)->reader;
    Json *list = json_array(arena);
    for (int32_t i = 0; i < command_programs(reader); i++)
        json_add(list, json_copy(arena, command_program(reader, i), NULL));
    return list;
}
