#include <string.h>

#include "sim/scenario/catalog/throughputs.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static Problems problems;

static void set_up(void)
{
    arena = arena_create();
    problems = problems_create(arena);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* The shipped catalogue and one file of rows over it; NULL with problems. */
static const Catalog *with_rows(const char *rows)
{
    const char *text =
        arena_printf(arena,
                     "{\"catalog\": 1, \"sources\": {\"log\": {\"title\": \"a log\", "
                     "\"date\": \"2018\"}},\n\"throughputs\": %s}",
                     rows);
    const Json *roots[] = {
        shipped_catalog(arena),
        json_parse(arena, "rows.json", text, strlen(text), JSON_STRICT, &problems)};
    ck_assert(roots[1] != NULL);
    return catalog_read(arena, roots, 2, &problems);
}

#define ROW(more)                                                                                  \
    "[{\"gpu\": \"k80\", \"network\": \"resnet50\", \"framework\": \"tf-1.8\", \"batch\": 64, "    \
    "\"samples_per_s\": 53.02, \"source\": \"log\"" more "}]"

START_TEST(a_row_names_entries_of_any_file)
{
    const Catalog *catalog = with_rows(ROW(", \"note\": \"on a die\""));
    ck_assert(catalog != NULL);
    Throughputs rows = catalog_throughputs(catalog);
    ck_assert_int_eq(rows.count, 1);
    ck_assert_ptr_eq(rows.rows[0].gpu, catalog_gpu(catalog, "K80"));
    ck_assert_ptr_eq(rows.rows[0].network, catalog_network(catalog, "resnet50"));
    ck_assert_ptr_eq(rows.rows[0].framework, catalog_framework(catalog, "tf-1.8"));
    ck_assert_ptr_null(rows.rows[0].exchange);
    ck_assert_int_eq(rows.rows[0].batch, 64);
    ck_assert_int_eq(rows.rows[0].micro_samples_per_s, 53020000);
    ck_assert(rows.rows[0].calibrates);
    ck_assert_str_eq(rows.rows[0].note, "on a die");
    ck_assert_str_eq(rows.rows[0].source, "a log");
    catalog = with_rows(ROW(", \"exchange\": \"horovod-0.13.2-mpi\", \"calibrates\": false"));
    ck_assert(catalog != NULL);
    rows = catalog_throughputs(catalog);
    ck_assert_ptr_eq(rows.rows[0].exchange, catalog_exchange(catalog, "horovod-0.13.2-mpi"));
    ck_assert(!rows.rows[0].calibrates);
}
END_TEST

START_TEST(mistakes_in_a_row_are_reported_with_their_position)
{
    static const struct {
        const char *rows, *message, *hint;
    } table[] = {
        {"{}", "throughputs must be an array, not an object", ""},
        {"[3]", "a throughput must be an object", ""},
        {ROW(", \"images\": 3"), "a throughput has no \"images\"", ""},
        {ROW(", \"notes\": 3"), "a throughput has no \"notes\"", "did you mean \"note\"?"},
        {ROW(", \"exchange\": \"horovod-0.13.2-mpl\""),
         "\"horovod-0.13.2-mpl\" is not among the exchanges of the catalogue",
         "did you mean \"horovod-0.13.2-mpi\"?"},
        {ROW(", \"calibrates\": 1"), "\"calibrates\" must be true or false", ""},
        {ROW(", \"note\": 1"), "a throughput needs a text \"note\"", ""},
        {"[{\"network\": \"resnet50\", \"framework\": \"tf-1.8\", \"batch\": 64, "
         "\"samples_per_s\": 1, \"source\": \"log\"}]",
         "a throughput needs a text \"gpu\"", ""},
        {"[{\"gpu\": \"K8\", \"network\": \"resnet50\", \"framework\": \"tf-1.8\", \"batch\": 64, "
         "\"samples_per_s\": 1, \"source\": \"log\"}]",
         "\"K8\" is not among the gpus of the catalogue", "did you mean \"K80\"?"},
        {"[{\"gpu\": \"K80\", \"network\": \"resnet50\", \"framework\": \"tf-1.8\", \"batch\": 0, "
         "\"samples_per_s\": 1, \"source\": \"log\"}]",
         "a throughput needs \"batch\", a number above 0 and up to 1e9 with at most 0 decimals",
         ""},
        {"[{\"gpu\": \"K80\", \"network\": \"resnet50\", \"framework\": \"tf-1.8\", \"batch\": 64, "
         "\"samples_per_s\": 2e9, \"source\": \"log\"}]",
         "a throughput needs \"samples_per_s\", a number above 0 and up to 1e9 with at most 6 "
         "decimals",
         ""},
        {"[{\"gpu\": \"K80\", \"network\": \"resnet50\", \"framework\": \"tf-1.8\", \"batch\": 64, "
         "\"samples_per_s\": 1, \"source\": \"lag\"}]",
         "there is no source \"lag\"", "list it under \"sources\" with \"title\" and \"date\""},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        problems = problems_create(arena);
        ck_assert(with_rows(table[i].rows) == NULL);
        ck_assert_int_eq(problems.count, 1);
        ck_assert_str_eq(problems.items[0].message, table[i].message);
        ck_assert_str_eq(problems.items[0].hint, table[i].hint);
        ck_assert_str_eq(problems.items[0].at.source, "rows.json");
        ck_assert_int_eq(problems.items[0].at.line, 2);
    }
}
END_TEST

START_TEST(the_number_of_rows_is_limited)
{
    Text rows = {0};
    text_add(&rows, "[");
    for (int i = 0; i < THROUGHPUTS_MAX + 1; i++)
        text_add(&rows, i > 0 ? ", 1" : "1");
    text_add(&rows, "]");
    ck_assert(with_rows(text_string(&rows)) == NULL);
    ck_assert_int_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].message,
                     "with these 1025, the catalogue has more than 1024 throughputs");
    text_free(&rows);
}
END_TEST

START_TEST(a_stack_names_a_framework_exchanges_and_a_jitter)
{
    static const struct {
        const char *stack, *message;
    } table[] = {
        {"{\"framework\": {\"value\": \"tf-1.7\", \"source\": \"log\"}}",
         "stacks/s/framework: \"tf-1.7\" is not among the frameworks of the catalogue"},
        {"{\"framework\": {\"value\": null, \"source\": \"log\"}}",
         "stacks/s/framework: expected the name of a framework, found null"},
        {"{\"nccl\": {\"value\": \"ring\", \"source\": \"log\"}}",
         "stacks/s/nccl: \"ring\" is not among the exchanges of the catalogue"},
        {"{\"nccl\": {\"value\": 1, \"source\": \"log\"}}",
         "stacks/s/nccl: expected the name of an exchange, or null, found a number"},
        {"{\"jitter\": {\"value\": \"none\", \"source\": \"log\"}}",
         "stacks/s/jitter: \"none\" is not among the jitters of the catalogue"},
        {"{\"jitter\": {\"value\": null, \"source\": \"log\"}}",
         "stacks/s/jitter: expected the name of a jitter, found null"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        problems = problems_create(arena);
        ck_assert(with_rows(arena_printf(arena, "[], \"stacks\": {\"s\": %s}", table[i].stack)) ==
                  NULL);
        ck_assert_str_eq(problems.items[0].message, table[i].message);
    }
    problems = problems_create(arena);
    const Catalog *catalog =
        with_rows("[], \"stacks\": {\"s\": {\"framework\": {\"value\": \"tf-1.8\", \"source\": "
                  "\"log\"}, \"mpi_host\": {\"value\": \"horovod-0.13-mpi\", \"source\": \"log\"}, "
                  "\"nccl\": {\"value\": null, \"source\": \"log\"}, \"jitter\": {\"value\": "
                  "\"shared-cluster\", \"source\": \"log\"}}}");
    ck_assert(catalog != NULL);
    const SoftwareStack *stack = catalog_stack(catalog, "S");
    ck_assert_ptr_eq(stack->framework, catalog_framework(catalog, "tf-1.8"));
    ck_assert_ptr_eq(stack->mpi_host, catalog_exchange(catalog, "horovod-0.13-mpi"));
    ck_assert_ptr_null(stack->nccl);
    ck_assert_ptr_eq(stack->jitter, catalog_jitter(catalog, "shared-cluster"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("throughputs");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_row_names_entries_of_any_file);
    tcase_add_test(tests, mistakes_in_a_row_are_reported_with_their_position);
    tcase_add_test(tests, the_number_of_rows_is_limited);
    tcase_add_test(tests, a_stack_names_a_framework_exchanges_and_a_jitter);
    suite_add_tcase(suite, tests);
    return suite;
}
