#include "tools/trainyard/answer/launch_answer.h"

#include "sim/schema/plain.h"

#define OWNER LaunchError
static const Field error_fields[] = {
    PLAIN_TEXT("code", code, "the service's code, such as JobFailed"),
    PLAIN_TEXT("message", message, "the service's words"),
    {0},
};
static const ObjectType error_type = OBJECT_TYPE("Launch error", "Why a job failed.", error_fields);
#undef OWNER

#define OWNER LaunchRecord
static const Field record_fields[] = {
    PLAIN_TEXT("job", job, "the job.json as named on the command line"),
    PLAIN_TEXT("state", state, "succeeded or failed"),
    FIELD_COUNT("exit_code", exit_code, "of the job, if it has one"),
    FIELD_OBJECT("error", error, error_type, "if it failed"),
    FIELD_ROW(INTEGER, "seed", seed, .doc = "the seed, which names the job's folders"),
    FIELD_ROW(INTEGER, "nodes", nodes, .doc = "of the service"),
    FIELD_ROW(INTEGER, "ranks", ranks, .doc = "of the trainer on this machine"),
    FIELD_DECIMAL("took_s", took_ms, 3, "from the start of its ranks to their end", .unit = "s"),
    FIELD_COUNT("epochs", epochs, "that the training completed"),
    FIELD_DECIMAL("val_accuracy", accuracy_ppm, 6, "of its last epoch on the test set",
                  .unit = "1"),
    FIELD_DECIMAL("val_loss", loss_micro, 6, "likewise"),
    PLAIN_TEXT("logs", logs, "the folder stdouterr of the job"),
    PLAIN_TEXT("stdout", stdout_path, "its standard output"),
    PLAIN_TEXT("stderr", stderr_path, "its standard error"),
    {0},
};
const ObjectType launch_record_type = OBJECT_TYPE(
    "Launched job", "A job in the output of `trainyard launch --json`, which is a list of them.",
    record_fields);
#undef OWNER
