#include "tests/support/trace_story.h"

#include <check.h>
#include <ctype.h>
#include <string.h>

enum { SEPARATING_SPACES = 9, KIND_COLUMN = 2 }; // further spaces separate values

const char *const trace_story_training[] = {
    "0s 0s resource_created - - - - - group -",
    "0s 0s cluster_provisioning dev/gpu - - - - creating -",
    "0s 0s cluster_allocation dev/gpu - - - - resizing target=2 current=0",
    "1s 0s cluster_provisioning dev/gpu - - - - succeeded -",
    "100s 0s cluster_allocation dev/gpu - - - - steady target=2 current=2",
    "100s 100s node_state dev/gpu n1 - - - preparing was=5",
    "100s 100s node_state dev/gpu n2 - - - preparing was=5",
    "120s 120s job_provisioning dev/gpu - dev/exp/train - - creating -",
    "120s 120s job_state dev/gpu - dev/exp/train - - queued exit_code=-1",
    "160s 100s node_state dev/gpu n1 - - - idle was=0",
    "160s 100s node_state dev/gpu n2 - - - idle was=0",
    "160s 160s cluster_ready dev/gpu - - - - - nodes=2",
    "162s 120s job_state dev/gpu - dev/exp/train - - running exit_code=-1",
    "162s 160s node_state dev/gpu n1 dev/exp/train - - running was=1",
    "162s 160s node_state dev/gpu n2 dev/exp/train - - running was=1",
    "170s 162s job_stage dev/gpu n1 dev/exp/train - - preparation -",
    "172s 162s job_stage dev/gpu n2 dev/exp/train - - preparation -",
    "180s 170s job_stage dev/gpu n1 dev/exp/train - - start -",
    "180s 172s job_stage dev/gpu n2 dev/exp/train - - start -",
    "180s 180s job_training dev/gpu - dev/exp/train - - - ranks=2 steps=2 epochs=2",
    "190s 180s step dev/gpu n1 dev/exp/train - - - epoch=1 step=1 rank=0 input_ns=1s "
    "compute_ns=5s wait_ns=0 exchange_ns=3s update_ns=1s",
    "190s 180s step dev/gpu n2 dev/exp/train - - - epoch=1 step=1 rank=1 input_ns=1s "
    "compute_ns=4s wait_ns=1s exchange_ns=3s update_ns=1s",
    "202s 190s step dev/gpu n1 dev/exp/train - - - epoch=1 step=2 rank=0 input_ns=1s "
    "compute_ns=5s wait_ns=1s exchange_ns=4s update_ns=1s",
    "202s 180s epoch dev/gpu - dev/exp/train - - - epoch=1 steps=2 input_ns=2s compute_ns=10s "
    "wait_ns=1s exchange_ns=7s update_ns=2s train_accuracy_ppm=500000 train_loss_micro=1400000",
    "204s 202s evaluation dev/gpu - dev/exp/train - - - epoch=1 accuracy_ppm=600000 "
    "loss_micro=1100000",
    "214s 204s step dev/gpu n1 dev/exp/train - - - epoch=2 step=1 rank=0 input_ns=1s "
    "compute_ns=5s wait_ns=0 exchange_ns=3s update_ns=1s",
    "228s 214s step dev/gpu n1 dev/exp/train - - - epoch=2 step=2 rank=0 input_ns=1s "
    "compute_ns=5s wait_ns=1s exchange_ns=6s update_ns=1s",
    "228s 204s epoch dev/gpu - dev/exp/train - - - epoch=2 steps=2 input_ns=2s compute_ns=10s "
    "wait_ns=1s exchange_ns=9s update_ns=2s train_accuracy_ppm=700000 train_loss_micro=900000",
    "230s 228s evaluation dev/gpu - dev/exp/train - - - epoch=2 accuracy_ppm=750000 "
    "loss_micro=730000",
    "230s 180s job_trained dev/gpu - dev/exp/train - - - steps=4 input_ns=4s compute_ns=20s "
    "wait_ns=2s exchange_ns=16s update_ns=4s evaluate_ns=4s checkpoint_ns=0 accuracy_ppm=750000 "
    "loss_micro=730000",
    "231s 230s transfer dev/gpu n1 dev/exp/train acc/share 1073741824 write work_ns=1s",
    "231s 231s file_written dev/gpu - dev/exp/train acc/share 1073741824 out/model.h5 -",
    "232s 162s job_state dev/gpu - dev/exp/train - - succeeded exit_code=0",
    "232s 162s node_state dev/gpu n1 - - - idle was=2",
    "232s 162s node_state dev/gpu n2 - - - idle was=2",
    "250s 232s node_state dev/gpu n1 - - - leaving was=1",
    "300s 250s node_state dev/gpu n1 - - - released was=3",
    "300s 100s node_billed dev/gpu n1 - - - released billed_ns=180s micro_usd_per_hour=900000",
    "1000s 100s node_billed dev/gpu n2 - - - held billed_ns=900s micro_usd_per_hour=900000",
    "1000s 0s run_ended - - - - - - events=42 draws=9 drawn=77",
    NULL,
};

/* Adds a word, "12s" as ns. */
static void add_word(Text *out, const char *word, size_t length)
{
    size_t digits = length;
    while (digits > 1 && isdigit((unsigned char)word[length - digits]) == 0)
        digits--; // the text before the number: "billed_ns="
    const char *number = word + length - digits;
    size_t count = 0;
    while (count < digits && isdigit((unsigned char)number[count]))
        count++;
    const bool is_time = digits > 1 && count == digits - 1 && number[count] == 's' &&
                         (number == word || number[-1] == '=');
    text_append(out, word, is_time ? length - 1 : length);
    if (is_time && !(count == 1 && *number == '0'))
        text_add(out, "000000000");
}

const char *trace_story_text(Arena *arena, const char *const *lines)
{
    const TraceHeader header = {.level = TRACE_LEVEL_STEPS,
                                .scenario = "story",
                                .seed = 7,
                                .start_unix_ms = INT64_C(1531935900000)};
    Text out = {0};
    trace_tsv_print_header(&out, &header);
    for (int32_t i = 0; lines[i] != NULL; i++) {
        const char *rest = lines[i], *cause = "-";
        size_t cause_length = 1;
        for (int32_t spaces = 0; *rest != '\0'; spaces++) {
            const size_t length = strcspn(rest, " ");
            const size_t kind_length = spaces == KIND_COLUMN ? strcspn(rest, ": ") : length;
            add_word(&out, rest, kind_length);
            if (kind_length < length) {
                cause = rest + kind_length + 1;
                cause_length = length - kind_length - 1;
            }
            rest += length;
            if (*rest == ' ') {
                text_add(&out, spaces < SEPARATING_SPACES ? "\t" : " ");
                rest++;
            }
        }
        text_add(&out, "\t");
        text_append(&out, cause, cause_length);
        text_add(&out, "\n");
    }
    const char *text = arena_strdup(arena, text_string(&out));
    text_free(&out);
    return text;
}

void trace_story_tell(Arena *arena, const char *const *lines, TraceListener listener)
{
    const char *text = trace_story_text(arena, lines);
    Problems problems = problems_create(arena);
    TraceHeader header;
    const bool is_right =
        trace_tsv_read(arena, "story", text, strlen(text), &header, listener, &problems);
    ck_assert_msg(is_right, "line %d: %s", problems.count > 0 ? problems.items[0].at.line : 0,
                  problems.count > 0 ? problems.items[0].message : "");
}
