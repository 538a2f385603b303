/* Images with words that look like addresses of memory outside of the session. */
#define _GNU_SOURCE // MAP_ANONYMOUS, MAP_FIXED_NOREPLACE
#include "emu/session/session_image.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

enum { PAGES = 3 };

/* Free in these tests until a process takes it. */
static void *const outside = (void *)UINT64_C(0x5d0000010000); // NOLINT

static Arena *arena;
static const char *folder, *path;

static size_t length(void)
{
    return PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static bool take(size_t bytes)
{
    return mmap(outside, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == outside;
}

static bool take_outside(void)
{
    return take(length());
}

/* Writes an image of a session whose words are addresses in the first and then the last of the
 * outside pages, or numbers like them. */
static ImageFacts write_image(void)
{
    ImageFacts facts = {0};
    Status status = {0};
    SessionMemory memory = session_memory_reserve();
    session_memory_begin(&memory);
    uintptr_t *root = heap_alloc(memory.heap, 100 * sizeof *root);
    root[0] = (uintptr_t)outside;
    for (uintptr_t i = 1; i < 100; i++)
        root[i] = (uintptr_t)outside + length() - i;
    heap_keep(memory.heap, (HeapRoot){.memory = root, .bytes = 100 * sizeof *root});
    if (!session_image_write(&memory, path, &facts, &status))
        _exit(2);
    return facts;
}

/* The image of a process that has memory at these addresses. */
static ImageFacts image_of_other_process(void)
{
    int ends[2], ended;
    ImageFacts facts;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (!take_outside())
            _exit(1);
        facts = write_image();
        _exit(write(ends[1], &facts, sizeof facts) == (ssize_t)sizeof facts ? 0 : 3);
    }
    waitpid(child, &ended, 0);
    ck_assert_int_eq(ended, 0);
    ck_assert_int_eq(read(ends[0], &facts, sizeof facts), (ssize_t)sizeof facts);
    close(ends[0]);
    close(ends[1]);
    return facts;
}

/* The signal that ends a process which reads a byte at the address. */
static int signal_of_reading(const char *address)
{
    int ended;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); // a sanitizer would report it
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        _exit(*(const volatile char *)address);
    }
    waitpid(child, &ended, 0);
    return WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
}

START_TEST(a_word_like_an_address_leads_to_no_memory)
{
    const ImageFacts facts = image_of_other_process();
    SessionMemory memory = session_memory_reserve();
    Status status = {0};
    ck_assert_msg(session_image_read(&memory, path, facts, &status), "%s", status.message);
    const uintptr_t *root = heap_kept(memory.heap).memory;
    ck_assert_uint_eq(memory.guarded.count, 2);
    ck_assert_int_eq(signal_of_reading((const char *)root[0]), SIGSEGV); // NOLINT
    ck_assert_int_eq(signal_of_reading((const char *)root[1]), SIGSEGV); // NOLINT
    ck_assert(!take_outside());
    session_memory_close(&memory);
    ck_assert(take_outside()); // as before
    munmap(outside, length());
}
END_TEST

START_TEST(an_image_is_not_used_where_its_words_would_be_addresses)
{
    const ImageFacts facts = image_of_other_process();
    SessionMemory memory = session_memory_reserve();
    Status status = {0};
    ck_assert(take_outside());
    ck_assert(!session_image_read(&memory, path, facts, &status));
    ck_assert_int_eq(status.code, STATUS_CONFLICT);
    ck_assert_ptr_null(memory.heap);
    ck_assert_uint_eq(memory.guarded.count, 0);
    // Only the last page is taken: the first one is not left guarded.
    munmap(outside, length() / PAGES * (PAGES - 1));
    ck_assert(!session_image_read(&memory, path, facts, &status));
    ck_assert(take(length() / PAGES));
    munmap(outside, length());
    ck_assert(session_image_read(&memory, path, facts, &status));
    session_memory_close(&memory);
}
END_TEST

START_TEST(too_many_pages_are_not_guarded)
{
    GuardedPages guarded = {0};
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (uintptr_t i = 0; i < GUARDED_PAGES_MAX; i++)
        ck_assert(guarded_pages_add(&guarded, (uintptr_t)outside + i * page + i));
    ck_assert(guarded_pages_add(&guarded, (uintptr_t)outside));
    ck_assert(!guarded_pages_add(&guarded, (uintptr_t)outside - 1));
    ck_assert_uint_eq(guarded.count, GUARDED_PAGES_MAX);
}
END_TEST

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    path = arena_printf(arena, "%s/image", folder);
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

Suite *test_suite(void)
{
    TCase *cases = tcase_create("session_image");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, a_word_like_an_address_leads_to_no_memory);
    tcase_add_test(cases, an_image_is_not_used_where_its_words_would_be_addresses);
    tcase_add_test(cases, too_many_pages_are_not_guarded);
    Suite *suite = suite_create("session_image");
    suite_add_tcase(suite, cases);
    return suite;
}
