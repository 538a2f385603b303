#include "sim/base/units.h"
#include "sim/model/energy.h"
#include "tests/support/suite.h"

START_TEST(energy_is_idle_power_and_the_rest_while_gpus_compute)
{
    // Two nodes for 6 h, 3 h of them busy: 12 h * 0.4 kW + 3 h * 2 kW = 10.8 kWh.
    ck_assert_int_eq(
        energy_micro_kwh(400000, 2400000, (Wide)12 * NS_PER_HOUR, (Wide)3 * NS_PER_HOUR), 10800000);
    ck_assert_int_eq(energy_micro_kwh(400000, 2400000, 0, 0), 0);
    ck_assert_int_eq(energy_micro_kwh(0, 1000000, NS_PER_HOUR, NS_PER_HOUR), 1000000);
    // A millionth of a kWh is 3.6 J: 3,600 W for a ms, and not before its end.
    ck_assert_int_eq(energy_micro_kwh(3600000, 3600000, NS_PER_MS, 0), 1);
    ck_assert_int_eq(energy_micro_kwh(3600000, 3600000, NS_PER_MS - 1, 0), 0);
}
END_TEST

START_TEST(a_year_of_a_million_large_nodes_is_no_overflow)
{
    const Wide held_ns = (Wide)1000000 * NS_PER_YEAR;
    // 365 days * 24 h * 10 kW * 10^6 nodes.
    ck_assert_int_eq(energy_micro_kwh(0, 10000000, held_ns, held_ns),
                     INT64_C(87600000000) * 1000000);
    ck_assert_int_eq(energy_micro_kwh(0, INT64_C(1000000000), held_ns * 1000000, held_ns * 1000000),
                     INT64_MAX);
}
END_TEST

START_TEST(carbon_is_proportional_to_energy)
{
    ck_assert_int_eq(carbon_mg(13500000, 400), 5400000); // 13.5 kWh: 5.4 kg
    ck_assert_int_eq(carbon_mg(1, 379), 0);              // 0.379 mg
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("energy");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, energy_is_idle_power_and_the_rest_while_gpus_compute);
    tcase_add_test(tests, a_year_of_a_million_large_nodes_is_no_overflow);
    tcase_add_test(tests, carbon_is_proportional_to_energy);
    suite_add_tcase(suite, tests);
    return suite;
}
