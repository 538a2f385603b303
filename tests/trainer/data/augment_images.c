/* Runs augment_image for tests/trainer/data/keras_augment.py. Each record on stdin contains two
 * floats (shift of rows and columns), a byte (flipped or not) and an image. Writes the changed
 * images to stdout. All values have their layout in memory. */
#include <stdio.h>

#include "trainer/data/augment.h"
#include "trainer/data/dataset.h"

int main(void)
{
    float shifts[2], changed[IMAGE_BYTES];
    uint8_t rest[1 + IMAGE_BYTES];
    while (fread(shifts, sizeof shifts, 1, stdin) == 1) {
        if (fread(rest, sizeof rest, 1, stdin) != 1)
            return 2;
        augment_image(rest + 1,
                      (Augmentation){.shift_rows = shifts[0],
                                     .shift_columns = shifts[1],
                                     .is_flipped = rest[0] != 0},
                      changed);
        if (fwrite(changed, sizeof changed, 1, stdout) != 1)
            return 3;
    }
    return ferror(stdin) || fflush(stdout) != 0 ? 3 : 0;
}
