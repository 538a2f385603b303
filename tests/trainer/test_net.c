#include "trainer/net.h"

#include <string.h>

#include "tests/support/suite.h"

START_TEST(the_tutorials_network_has_the_published_numbers)
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    // conv 3->32: 896, conv 32->32: 9,248, conv 32->64: 18,496, conv 64->64: 36,928,
    // dense 2304->512: 1,180,160, dense 512->10: 5,130.
    ck_assert_int_eq(net.parameter_count, 896 + 9248 + 18496 + 36928 + 1180160 + 5130);
    // 884,736 + 8,294,400 + 4,147,200 + 6,230,016 + 1,179,648 + 5,120 multiply-adds an image.
    ck_assert_int_eq(net_forward_macs(&net), 20741120);
    ck_assert_int_eq(net_backward_macs(&net), 2 * 20741120 - 884736);
}
END_TEST

START_TEST(a_network_that_cannot_be_trained_is_refused_with_those_that_can)
{
    Net net;
    Status status;
    ck_assert(!net_build("keras_mnist_cnn", &net, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(status.hint, "keras_cifar10_cnn"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("net");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_tutorials_network_has_the_published_numbers);
    tcase_add_test(tests, a_network_that_cannot_be_trained_is_refused_with_those_that_can);
    suite_add_tcase(suite, tests);
    return suite;
}
