/* Tables of fields: one row for each member of an object in a file, or for each option of a command
 * line. The same row reads a value, checks it, explains it, writes it, and describes it in the JSON
 * Schema, in scenarios/FORMAT.md, in --help and in the man pages.
 *
 *     typedef struct { const Json *node; BoundText name; BoundInteger nodes; } Wish;
 *     #define OWNER Wish // the struct of the rows that follow
 *     static const Field wish_fields[] = {
 *         NEEDED_TEXT("name", name, "what it is called"),
 *         FIELD_INTEGER("nodes", nodes, 1, 100, "1", "how many"),
 *         {0}, // the end
 *     };
 *     static const ObjectType wish_type = OBJECT_TYPE("Wish", "One wish.", wish_fields);
 *     #undef OWNER
 *
 * Readers of tables: sim/schema/bind.h for objects whose members keep their places in the file,
 * sim/schema/plain.h for objects that a program writes and reads, sim/scenario/catalog/read.h for
 * values with a source, sim/cli/options.h for command lines. */
#ifndef SIM_SCHEMA_FIELD_H
#define SIM_SCHEMA_FIELD_H

#include <stddef.h>

#include "sim/json/json.h"
#include "sim/schema/value.h"

typedef struct ObjectType ObjectType;
typedef struct CustomKind CustomKind;

typedef struct {
    const char *name; /* of the member or, without dashes, of the option; NULL ends the table */
    ValueKind kind;
    size_t offset;              /* of its member in the struct */
    size_t size;                /* of that member */
    bool is_required;           /* an object without it is refused */
    bool is_filled;             /* TEXT: "" is refused */
    bool is_secret;             /* its value is never shown */
    int64_t minimum, maximum;   /* both 0: no limits; options: maximum 0 means no upper limit */
    const char *const *choices; /* CHOICE: the words, ended by NULL */
    /* CHOICE: whether an object with this word may have the member `key`; NULL: any word may. */
    bool (*choice_takes)(int32_t choice, const char *key);
    bool takes_texts;         /* OBJECTS: an item may be a text that the format turns into an object
                                 before it is bound */
    const ObjectType *type;   /* OBJECT, OBJECTS, NAMED, NAMED_VALUES: type of each object */
    const CustomKind *custom; /* CUSTOM */
    const char *fallback;     /* the value when absent, as a file would write it; or NULL */
    const char *schema;       /* JSON: its JSON Schema */
    const char *doc;          /* one phrase, small first letter, no full stop */
    char letter;              /* options: the short form, or 0 */
    const char *argument;     /* options: how --help calls the value: "FILE"; NULL for a flag */
    double real_minimum, real_maximum; /* REAL; maximum 0: no upper limit */

    /* Plain structs (sim/schema/plain.h). */
    int32_t decimals;       /* DECIMAL: the member counts 10^-decimals (REAL: rounded to it) ... */
    const char *unit;       /* ... of this unit: "s"; "1": a ratio; NULL: a count */
    bool is_nullable;       /* unknown is written as null; otherwise the key is left out */
    bool is_derived;        /* written, but not read: other members have the same values */
    size_t shown_if;        /* if not 0: offset of a bool; the key is left out unless it is true,
                               and a count is then read as 0 */
    size_t count;           /* lists: offset of the uint32_t number of items */
    bool is_left_out_empty; /* lists: an empty one has no key */
} Field;

struct ObjectType {
    const char *name; /* in messages: "Job", "command" */
    const char *doc;  /* one sentence */
    size_t size;      /* of the struct */
    const Field *fields;
};

/* A kind of value that only one format has. */
struct CustomKind {
    const char *title; /* in documentation: "distribution of durations" */
    ValueKind element; /* of the numbers in it */
    /* Reads `json` into the struct `item`, of which `field` has a member; `context` belongs to the
     * format. False, with the reason in `status`, when the value is not of this kind. */
    bool (*read)(const void *context, Arena *arena, const Field *field, const Json *json,
                 void *item, Status *status);
};

/* The field called `name`; NULL when the type has none. */
const Field *field_find(const ObjectType *type, const char *name);
/* The words that the member at the JSON pointer may have, in an object of `type`, ended by NULL;
 * NULL when there is no such member, or any value may be there. */
const char *const *field_words_at(const ObjectType *type, const char *pointer);
/* The names of all fields in the order of the table. In `arena`. */
const char *const *field_names(Arena *arena, const ObjectType *type, int32_t *count);
/* The names of the fields that `object` may have by its choices (Field.choice_takes). */
const char *const *field_names_of(Arena *arena, const ObjectType *type, const Json *object,
                                  int32_t *count);

/* The default of a member as JSON; NULL when there is none. */
Json *field_fallback(Arena *arena, const Field *field);
/* Writes an integer, an enum or a boolean into the member of a plain struct. */
void field_store_integer(const Field *field, void *item, int64_t value);

#define OBJECT_TYPE(title, text, rows)                                                             \
    {                                                                                              \
        .name = title, .doc = text, .size = sizeof(OWNER), .fields = rows                          \
    }

/* A row of any kind: the named kind, the member `key` of the file in the struct's `member`, and
 * further members of Field. The macros below are rows of one kind each. */
#define FIELD_ROW(KIND, key, member, ...)                                                          \
    {                                                                                              \
        .name = key, .kind = VALUE_##KIND, .offset = offsetof(OWNER, member),                      \
        .size = sizeof(((OWNER *)NULL)->member), __VA_ARGS__                                       \
    }
#define NEEDED_ROW(KIND, key, member, ...)                                                         \
    FIELD_ROW(KIND, key, member, .is_required = true, __VA_ARGS__)

/* Members that may be absent; `absent` is the text of their default, or NULL. */
#define FIELD_TEXT(key, member, absent, text)                                                      \
    FIELD_ROW(TEXT, key, member, .fallback = absent, .doc = text)
#define FIELD_SECRET(key, member, text) FIELD_ROW(TEXT, key, member, .is_secret = true, .doc = text)
#define FIELD_INTEGER(key, member, least, most, absent, text)                                      \
    FIELD_ROW(INTEGER, key, member, .minimum = least, .maximum = most, .fallback = absent,         \
              .doc = text)
#define FIELD_BOOLEAN(key, member, absent, text)                                                   \
    FIELD_ROW(BOOLEAN, key, member, .fallback = absent, .doc = text)
#define FIELD_CHOICE(key, member, words, absent, text)                                             \
    FIELD_ROW(CHOICE, key, member, .choices = words, .fallback = absent, .doc = text)
#define FIELD_DURATION(key, member, absent, text)                                                  \
    FIELD_ROW(DURATION, key, member, .fallback = absent, .doc = text)
#define FIELD_BYTES(key, member, absent, text)                                                     \
    FIELD_ROW(BYTES, key, member, .fallback = absent, .doc = text)
#define FIELD_ISO_TIME(key, member, absent, text)                                                  \
    FIELD_ROW(ISO_TIME, key, member, .fallback = absent, .doc = text)
#define FIELD_ISO_DURATION(key, member, absent, text)                                              \
    FIELD_ROW(ISO_DURATION, key, member, .fallback = absent, .doc = text)
#define FIELD_OBJECT(key, member, of, text)                                                        \
    FIELD_ROW(OBJECT, key, member, .type = &(of), .doc = text)
#define FIELD_OBJECTS(key, member, of, text)                                                       \
    FIELD_ROW(OBJECTS, key, member, .type = &(of), .doc = text)
#define FIELD_JSON(key, member, json_schema, text)                                                 \
    FIELD_ROW(JSON, key, member, .schema = json_schema, .doc = text)

/* Members that must be there. */
#define NEEDED_TEXT(key, member, text) NEEDED_ROW(TEXT, key, member, .doc = text)
#define NEEDED_NAME(key, member, text) NEEDED_ROW(TEXT, key, member, .is_filled = true, .doc = text)
#define NEEDED_INTEGER(key, member, least, most, text)                                             \
    NEEDED_ROW(INTEGER, key, member, .minimum = least, .maximum = most, .doc = text)
#define NEEDED_BOOLEAN(key, member, text) NEEDED_ROW(BOOLEAN, key, member, .doc = text)
#define NEEDED_CHOICE(key, member, words, text)                                                    \
    NEEDED_ROW(CHOICE, key, member, .choices = words, .doc = text)
#define NEEDED_DURATION(key, member, text) NEEDED_ROW(DURATION, key, member, .doc = text)
#define NEEDED_BYTES(key, member, text) NEEDED_ROW(BYTES, key, member, .doc = text)
#define NEEDED_ISO_DURATION(key, member, text) NEEDED_ROW(ISO_DURATION, key, member, .doc = text)
#define NEEDED_OBJECT(key, member, of, text)                                                       \
    NEEDED_ROW(OBJECT, key, member, .type = &(of), .doc = text)
#define NEEDED_OBJECTS(key, member, of, text)                                                      \
    NEEDED_ROW(OBJECTS, key, member, .type = &(of), .doc = text)
#define NEEDED_JSON(key, member, json_schema, text)                                                \
    NEEDED_ROW(JSON, key, member, .schema = json_schema, .doc = text)

#endif
