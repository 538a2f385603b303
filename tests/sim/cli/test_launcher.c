#include "sim/cli/launcher.h"

#include <stdlib.h>

#include "tests/support/suite.h"

static void set(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

START_TEST(a_launcher_is_detected_by_its_environment_variables)
{
    static const struct {
        const char *open_mpi, *pmi, *pmix; // OMPI_COMM_WORLD_SIZE, PMI_SIZE, PMIX_RANK
        bool is_there;
        int32_t ranks;
    } rows[] = {
        {NULL, NULL, NULL, false, 1}, // started by a shell
        {"4", NULL, "2", true, 4},    // mpirun of Open MPI
        {"1", NULL, "0", false, 1},   // mpirun -n 1: there are no other ranks
        {NULL, "3", NULL, true, 3},   // mpiexec of MPICH
        {NULL, "1", NULL, false, 1},
        {NULL, NULL, "0", true, 1}, // srun --mpi=pmix: only PMIx knows whether there are more
        {NULL, NULL, "5", true, 6}, // there are five lower ranks
        {"", "", NULL, false, 1},
        {"many", "-2", NULL, false, 1},
        {"99999999999999999999", NULL, NULL, false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set("OMPI_COMM_WORLD_SIZE", rows[i].open_mpi);
        set("PMI_SIZE", rows[i].pmi);
        set("PMIX_RANK", rows[i].pmix);
        ck_assert_msg(launcher_is_there() == rows[i].is_there, "row %zu", i);
        ck_assert_msg(launcher_ranks() == rows[i].ranks, "row %zu: %d", i, launcher_ranks());
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("launcher");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_launcher_is_detected_by_its_environment_variables);
    suite_add_tcase(suite, tests);
    return suite;
}
