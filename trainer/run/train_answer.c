#include "trainer/run/train_answer.h"

#include "sim/schema/plain.h"
#include "trainer/compute/engines_report.h"
#include "trainer/compute/profile.h"

#define OWNER EpochRecord
static const Field epoch_fields[] = {
    FIELD_ROW(INTEGER, "epoch", epoch, .doc = "its number, from 1"),
#define X(name, member, digits, is_optional, description)                                          \
    FIELD_ROUNDED(name, member, digits, description),
    EPOCH_MEASURE_ROWS(X)
#undef X
        {0},
};
static const ObjectType epoch_type = OBJECT_TYPE("Trained epoch", "An epoch.", epoch_fields);
#undef OWNER

#define OWNER TrainAnswer
static const Field answer_fields[] = {
    PLAIN_TEXT("network", network, "the network"),
    PLAIN_TEXT("backend", backend, "what computes"),
    PLAIN_TEXT("precision", precision, "of the products"),
    PLAIN_TEXT("device", device, "the GPU of rank 0; without key: a processor"),
    FIELD_ROW(INTEGER, "ranks", ranks, .doc = "how many"),
    FIELD_ROW(INTEGER, "threads", threads, .doc = "of each rank"),
    FIELD_ROW(INTEGER, "batch_size", batch_size, .doc = "images of a step of a rank"),
    FIELD_ROW(INTEGER, "seed", seed, .doc = "of initial weights, order and augmentation"),
    FIELD_BOOLEAN("data_augmentation", is_augmented, NULL, "whether images are changed"),
    FIELD_ROW(INTEGER, "train_images", train_images, .doc = "of the set"),
    FIELD_ROW(INTEGER, "test_images", test_images, .doc = "of the set"),
    FIELD_ROW(INTEGER, "steps_per_epoch", steps_per_epoch, .doc = "of each rank"),
    FIELD_JSON("engines", engines, ENGINES_SCHEMA,
               "of the products of each layer, on a backend that chooses between libraries: the "
               "chosen ones and the times of those that were tried"),
    FIELD_LIST(OBJECTS, "epochs", epochs, epoch_count, &epoch_type, "as in history.tsv"),
    PLAIN_TEXT("checkpoint", checkpoint, "the last one, if one was written"),
    PLAIN_TEXT("model", model, "the file of the trained model"),
    FIELD_ROUNDED("test_loss", test_loss, 6, "of the model on the test set"),
    FIELD_ROUNDED("test_accuracy", test_accuracy, 6, "likewise, 0 to 1"),
    FIELD_JSON("profile", profile, PROFILE_SCHEMA, "with --profile: the stages of a step"),
    {0},
};
const ObjectType train_answer_type =
    OBJECT_TYPE("Train answer", "The output of `trainyard train --json`.", answer_fields);
#undef OWNER
