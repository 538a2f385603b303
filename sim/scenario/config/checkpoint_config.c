#include "sim/scenario/config/checkpoint_config.h"

#include "sim/base/units.h"

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

static bool is_number_of_epochs(const Json *every)
{
    return every->kind == JSON_NUMBER && every->is_integer && every->integer >= 1 &&
           every->integer <= INT32_MAX;
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
    if (text->every != NULL && !is_number_of_epochs(text->every))
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text->every),
                                 "every of a training's checkpoint is not a number of epochs, 1 or "
                                 "more"),
                    "a time is for a program with a \"duration\", and for the checkpoint of a "
                    "\"transformer\"");
}

int64_t checkpoint_epochs(const CheckpointText *text)
{
    return text->every != NULL && is_number_of_epochs(text->every) ? text->every->integer : 1;
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
