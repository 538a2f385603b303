/* For any bytes in a file of CIFAR-10's binary encoding, reading ends with whole images, or with a
 * problem and an unchanged set. */
#include "tests/support/fuzz_images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_images(cifar_binary_read, data, size);
    return 0;
}
