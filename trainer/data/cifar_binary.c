/* Private to trainer/data: CIFAR-10 in the encoding for C programs. */
#include <inttypes.h>

#include "sim/base/text.h"
#include "trainer/data/cifar_files.h"
#include "trainer/data/dataset.h"

_Static_assert(CIFAR_RECORD_BYTES == 1 + IMAGE_BYTES, "a record is a label and an image");

enum { CIFAR_100_RECORD_BYTES = CIFAR_RECORD_BYTES + 1 };

static bool fail_size(const char *file, size_t length, Status *status)
{
    const size_t rest = length % CIFAR_RECORD_BYTES;
    if (length == 0)
        return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                           "the file is empty, expected records of %d bytes", CIFAR_RECORD_BYTES);
    status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                "the record that begins at byte %zu ends after %zu byte%s, expected %d",
                length - rest, rest, plural((int64_t)rest), CIFAR_RECORD_BYTES);
    if (length % CIFAR_100_RECORD_BYTES == 0)
        return status_hint(status, "records of %d bytes are CIFAR-100's", CIFAR_100_RECORD_BYTES);
    return status_hint(status,
                       "the file was cut off, or is not a CIFAR-10 file in the binary encoding");
}

bool cifar_binary_count(const char *file, size_t length, size_t *count, Status *status)
{
    *count = length / CIFAR_RECORD_BYTES;
    return (length > 0 && length % CIFAR_RECORD_BYTES == 0) || fail_size(file, length, status);
}

bool cifar_binary_read(const char *file, const uint8_t *bytes, size_t length, int32_t capacity,
                       ImageSet *set, Status *status)
{
    size_t count;
    if (!cifar_binary_count(file, length, &count, status))
        return false;
    if (count > (size_t)(capacity - set->count))
        return image_set_fail_full(file, count, capacity - set->count, status);
    for (size_t i = 0; i < count; i++) {
        const uint8_t label = bytes[i * CIFAR_RECORD_BYTES];
        if (label >= CLASS_COUNT)
            return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                               "the label at byte %zu is %d, expected 0 to %d",
                               i * CIFAR_RECORD_BYTES, label, CLASS_COUNT - 1);
    }
    for (size_t i = 0; i < count; i++)
        image_set_add(set, bytes[i * CIFAR_RECORD_BYTES], bytes + i * CIFAR_RECORD_BYTES + 1);
    return true;
}
