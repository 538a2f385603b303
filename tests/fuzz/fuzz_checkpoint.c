/* Whatever stands in a model file, reading it ends with a model or with a message, and a resumption
 * takes no file that is not as it was written.
 *
 * The input is a list of changes to a whole checkpoint, six bytes each: a place (four, little
 * endian; of the first 256 KiB when the topmost bit is set, as the file's structure is mostly
 * there), a byte to put there, and one more for the next place. An input of "cut" and four bytes is
 * that length of the file; one of "raw" is a file as it stands.
 *
 * The HDF5 library is known to crash on files made for it; it does so in a process of its own
 * (trainer/apart.h), which this target takes for the message that it becomes. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/formats/keras_file.h"
#include "trainer/checkpoint.h"
#include "trainer/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    Net net;
    float *weights, *accumulators;
    Text image; /* a checkpoint without damage */
} Checkpoint;

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

/* Made once: a checkpoint takes longer than an input. */
static Checkpoint *checkpoint(void)
{
    static Checkpoint *made;
    if (made)
        return made;
    Status status;
    made = calloc(1, sizeof *made);
    invariant(made && net_build("keras_cifar10_cnn", &made->net, &status));
    made->weights = calloc((size_t)made->net.parameter_count, 2 * sizeof(float));
    invariant(made->weights);
    made->accumulators = made->weights + made->net.parameter_count;
    const KerasAttribute seal = {"trainyard_digest", seal_blank, 0};
    const KerasFile file = {.network = made->net.keras,
                            .version = KERAS_2_3_1,
                            .optimizer_settings = "\"lr\": 0.1",
                            .weights = made->weights,
                            .attributes = &seal,
                            .attribute_count = 1};
    invariant(keras_file_write(&file, (ByteSink){&made->image, append}, &status));
    seal_close(made->image.data, made->image.length);
    return made;
}

static uint32_t number_at(const uint8_t *data)
{
    return data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

static void damage(char *bytes, size_t length, const uint8_t *data, size_t size)
{
    enum { CHANGE = 6, STRUCTURE = 1 << 18 };
    for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
        uint32_t place = number_at(data);
        place = (place & 0x80000000u) ? place % STRUCTURE : place % (uint32_t)length;
        bytes[place] = (char)data[4];
        if (place + 1 < length)
            bytes[place + 1] = (char)data[5];
    }
}

static void read_both_ways(Checkpoint *it, const char *bytes, size_t length)
{
    TrainingState state;
    Status status = {0};
    const bool is_untouched =
        length == it->image.length && memcmp(bytes, it->image.data, length) == 0;
    // Even whole, it has no state.
    invariant(!checkpoint_parse("fuzz", bytes, length, &it->net, &state, it->weights,
                                it->accumulators, &status));
    invariant(status.code == STATUS_BAD_INPUT && status.message[0]);
    const bool is_read = checkpoint_parse("fuzz", bytes, length, &it->net, NULL, it->weights,
                                          it->accumulators, &status);
    invariant(is_read || status.code == STATUS_BAD_INPUT);
    invariant(is_read || !is_untouched);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Checkpoint *it = checkpoint();
    if (size >= 3 && memcmp(data, "raw", 3) == 0) {
        read_both_ways(it, (const char *)data + 3, size - 3);
        return 0;
    }
    size_t length = it->image.length;
    if (size == 7 && memcmp(data, "cut", 3) == 0)
        length = number_at(data + 3) % (length + 1);
    char *bytes = malloc(length + 1);
    invariant(bytes != NULL);
    memcpy(bytes, it->image.data, length);
    if (length == it->image.length)
        damage(bytes, length, data, size);
    read_both_ways(it, bytes, length);
    free(bytes);
    return 0;
}
