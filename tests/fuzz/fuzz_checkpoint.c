/* For any bytes in a model file, reading ends with a model or with a message, and a resumption
 * refuses a file that was changed.
 *
 * The input is a list of changes to a whole file of a small network, four bytes each: a position
 * (two bytes, little endian) and the two bytes to write there. An input of "cut" and two bytes cuts
 * the file to that length. An input that begins with "raw" is the whole file.
 *
 * The HDF5 library is known to crash on files made for it; it does so in a separate process
 * (trainer/run/fork_guard.h), and the crash becomes a message. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/formats/keras_file.h"
#include "trainer/run/checkpoint.h"
#include "trainer/run/checksum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small, so that most of the file is structure. */
static const KerasLayer layers[] = {
    {LAYER_CONVOLUTION, "conv2d_1", .units = 2, .side = 3, .padding = "valid",
     .activation = "relu"},
    {LAYER_FLATTEN, .name = "flatten_1"},
    {LAYER_DENSE, "dense_1", .units = 3, .activation = "softmax"},
};
static const KerasNetwork network = {"small", 4, 4, 1, 3, layers, {"RMSprop", 100, "", .slots = 1}};
enum { PARAMETERS = 3 * 3 * 2 + 2 + 2 * 2 * 2 * 3 + 3 };

typedef struct {
    Net net; // as far as reading looks at it
    float weights[PARAMETERS], accumulators[PARAMETERS];
    Text image; /* a sealed file without a state */
} Checkpoint;

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static Checkpoint *checkpoint(void)
{
    static Checkpoint made;
    if (made.image.length > 0)
        return &made;
    Status status;
    made.net = (Net){.keras = &network, .parameter_count = PARAMETERS};
    const KerasAttribute seal = {"trainyard_digest", checksum_blank, 0};
    const KerasFile file = {.network = &network,
                            .version = KERAS_2_3_1,
                            .optimizer_settings = "\"lr\": 0.1",
                            .weights = made.weights,
                            .attributes = &seal,
                            .attribute_count = 1};
    invariant(keras_file_write(&file, (ByteSink){&made.image, append}, &status));
    checksum_fill(made.image.data, made.image.length);
    return &made;
}

static uint32_t number_at(const uint8_t *data)
{
    return data[0] | (uint32_t)data[1] << 8;
}

static void damage(char *bytes, size_t length, const uint8_t *data, size_t size)
{
    enum { CHANGE = 4 };
    for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
        const size_t place = number_at(data) % length;
        bytes[place] = (char)data[2];
        bytes[(place + 1) % length] = (char)data[3];
    }
}

static void read_both_ways(Checkpoint *it, const char *bytes, size_t length)
{
    TrainingState state;
    Status status = {0};
    const bool is_untouched =
        length == it->image.length && memcmp(bytes, it->image.data, length) == 0;
    // Even whole, it has no state.
    invariant(!checkpoint_parse("fuzz", bytes, length, &it->net, NULL, &state, it->weights,
                                it->accumulators, &status));
    invariant(status.code == STATUS_BAD_INPUT && status.message[0]);
    const bool is_read = checkpoint_parse("fuzz", bytes, length, &it->net, NULL, NULL, it->weights,
                                          it->accumulators, &status);
    // A damaged name is that of another network's layer.
    invariant(is_read || status.code == STATUS_BAD_INPUT || status.code == STATUS_CONFLICT);
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
    if (size == 5 && memcmp(data, "cut", 3) == 0)
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
