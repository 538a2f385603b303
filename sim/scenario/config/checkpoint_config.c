#include "sim/scenario/config/checkpoint_config.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/schema/value.h"

typedef struct {
    const char *key;
    const Json *node;
} Member;

static void refuse(Problems *problems, const Member *members, size_t count, const char *whose)
{
    for (size_t i = 0; i < count; i++)
        if (members[i].node != NULL)
            problems_add(problems, STATUS_BAD_INPUT, json_at(members[i].node),
                         "\"%s\" is for checkpoints of %s", members[i].key, whose);
}

static void need(Problems *problems, const CheckpointText *text, Member member, const char *whose,
                 const char *example)
{
    if (member.node == NULL)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "the checkpoint of %s needs \"%s\", which is missing", whose,
                                 member.key),
                    "add \"%s\": %s", member.key, example);
}

/* --- Trainings --- */

bool checkpoint_every_read(const Json *json, CheckpointEvery *every)
{
    *every = (CheckpointEvery){0};
    if (json->kind == JSON_STRING)
        return checkpoint_every_parse(json->text, every);
    if (json->kind == JSON_NUMBER && json->is_integer && json->integer <= CHECKPOINT_EVERY_MOST)
        every->count = json->integer;
    return every->count > 0;
}

void checkpoint_check_every(Problems *problems, const Json *json, bool has_epochs,
                            const char *expected)
{
    CheckpointEvery every;
    const bool is_read = json == NULL || checkpoint_every_read(json, &every);
    if (is_read && (json == NULL || every.epochs == 0 || has_epochs))
        return;
    if (json->kind == JSON_STRING)
        problems_add(problems, STATUS_BAD_INPUT, json_at(json), "every \"%s\" is not %s",
                     json->text, expected);
    else
        problems_add(problems, STATUS_BAD_INPUT, json_at(json), "every is not %s", expected);
}

int64_t checkpoint_steps_of(int64_t ns, int64_t step_ns)
{
    const int64_t steps = step_ns > 0 ? ns / step_ns + (ns % step_ns > step_ns / 2) : 1;
    return steps > 0 ? steps : 1;
}

void checkpoint_check_training(Problems *problems, const CheckpointText *text)
{
    const Member others[] = {
        {"takes", text->takes.node}, {"restart", text->restart.node}, {"jobs", text->jobs.node}};
    refuse(problems, others, sizeof others / sizeof others[0],
           "programs that only take time; a training's take the time of its bytes");
    need(problems, text, (Member){"path", text->path.node}, "a training",
         "\"$AZ_BATCHAI_OUTPUT_MODEL/checkpoint-{epoch}\"");
    need(problems, text, (Member){"bytes", text->bytes.node}, "a training", "\"100MB\"");
    checkpoint_check_every(
        problems, text->every, true,
        "a number of epochs above 0, a number of steps such as \"500 steps\", or "
        "a time such as \"30m\"");
}

CheckpointEvery checkpoint_every_of(const CheckpointText *text)
{
    CheckpointEvery every;
    if (text->every == NULL || !checkpoint_every_read(text->every, &every))
        return (CheckpointEvery){.epochs = 1};
    every.epochs += every.count;
    every.count = 0;
    return every;
}

/* --- Programs that only take time --- */

static void read_every(Problems *problems, const Json *every, int64_t *ns)
{
    Status status = {0};
    if (every == NULL || (every->kind == JSON_STRING &&
                          duration_parse(every->text, json_at(every), ns, &status) && *ns > 0))
        return;
    if (status.code != STATUS_OK)
        problems_add_status(problems, &status);
    else
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(every),
                                 "every of this checkpoint is not a time above 0"),
                    "the program only takes time and has no epochs: \"every\": \"1h\"");
}

static void read_jobs(Problems *problems, BoundText jobs, int64_t *ppm)
{
    Status status = {0};
    if (jobs.node == NULL || jobs.is_refused)
        return;
    if (!ratio_parse(jobs.value, json_at(jobs.node), ppm, &status))
        problems_add_status(problems, &status);
    else if (*ppm > PPM)
        problems_add(problems, STATUS_BAD_INPUT, json_at(jobs.node),
                     "\"%s\" of the jobs, expected 0%% to 100%%", jobs.value);
}

void checkpoint_read_work(Problems *problems, const CheckpointText *text, Program *program)
{
    if (text == NULL || text->node == NULL)
        return;
    const int32_t problems_before = problems->count;
    const Member others[] = {
        {"path", text->path.node}, {"bytes", text->bytes.node}, {"resume", text->resume.node}};
    WorkCheckpoints work = {
        .takes_ns = text->takes.value, .restart_ns = text->restart.value, .jobs_ppm = PPM};
    const char *whose = "a program that only takes time";
    refuse(problems, others, sizeof others / sizeof others[0],
           "trainings; those of a program that only takes time have \"takes\"");
    need(problems, text, (Member){"takes", text->takes.node}, whose, "\"2m\"");
    if (!text->on_notice.is_refused && text->on_notice.value == 0)
        need(problems, text, (Member){"every", text->every}, whose, "\"1h\"");
    read_every(problems, text->every, &work.every_ns);
    read_jobs(problems, text->jobs, &work.jobs_ppm);
    if (problems->count > problems_before || work.jobs_ppm == 0)
        return;
    program->work = work;
    program->saves_on_notice = text->on_notice.value != 0;
}
