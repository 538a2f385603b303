/* What all answers of the Resource Manager share: JSON bodies, errors, ids. */
#ifndef EMU_ARM_H
#define EMU_ARM_H

#include "emu/route.h"

/* `value` as the body. */
void arm_answer(const HttpRequest *request, HttpResponse *response, int32_t status,
                const Json *value);
/* {"error": {"code": ..., "message": ...}}. Never with Retry-After: clients would ask again. */
void arm_error(const HttpRequest *request, HttpResponse *response, int32_t status,
               const char *code, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* What the world or a reader refused, by its code: 400, 404, 409; the first of several, and how many
 * more. */
void arm_refusal(const HttpRequest *request, HttpResponse *response, const Problems *problems);
/* 404 as the service words it: "The Resource 'Microsoft.BatchAI/workspaces/w' under resource group
 * 'g' was not found." */
void arm_not_found(const HttpRequest *request, HttpResponse *response, RecordKind kind,
                   ResourcePath path);

/* The request's body as JSON (an absent one is an empty object); NULL after answering 400. */
const Json *arm_body(const HttpRequest *request, HttpResponse *response);

/* "/subscriptions/SUB/resourceGroups/RG/providers/Microsoft.BatchAI/workspaces/WS", in `arena`. */
const char *arm_id(const Emulator *emulator, Arena *arena, RecordKind kind, ResourcePath path);
/* The reverse, in any letter case; false when it is no id of that kind. */
bool arm_id_read(Arena *arena, const char *id, RecordKind kind, ResourcePath *path);

/* Simulated time as bodies have it: "2018-06-15T21:57:57.25Z". */
const char *arm_time(const Emulator *emulator, Arena *arena, int64_t at_ns);

#endif
