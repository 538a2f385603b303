/* Every error that Azure's protocols answer: its code, its HTTP status and its message, in one
 * table with a section for each service. A service renders an error in its own format
 * (emu/arm/arm.h as JSON, emu/files/call.h as XML). */
#ifndef EMU_AZURE_ERROR_H
#define EMU_AZURE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* X(ENUM, code, status, message). Each "%s" in a message stands for a text that the caller gives.
 */
#define AZURE_FILES_ERRORS(X)                                                                      \
    /* requests */                                                                                 \
    X(FILES_INVALID_URI, "InvalidUri", 400,                                                        \
      "The requested URI does not represent any resource on the server.")                          \
    X(FILES_INVALID_NAME, "InvalidResourceName", 400,                                              \
      "The specified resource name contains invalid characters.")                                  \
    X(FILES_INVALID_HEADER, "InvalidHeaderValue", 400,                                             \
      "The value for one of the HTTP headers is not in the correct format.")                       \
    X(FILES_MISSING_HEADER, "MissingRequiredHeader", 400,                                          \
      "An HTTP header that's mandatory for this request is not specified.")                        \
    X(FILES_UNSUPPORTED_HEADER, "UnsupportedHeader", 400,                                          \
      "One of the headers specified in the request is not supported.")                             \
    X(FILES_INVALID_QUERY, "InvalidQueryParameterValue", 400,                                      \
      "Value for one of the query parameters specified in the request URI is invalid.")            \
    X(FILES_MISSING_QUERY, "MissingRequiredQueryParameter", 400,                                   \
      "A query parameter that's mandatory for this request is not specified.")                     \
    X(FILES_QUERY_OUT_OF_RANGE, "OutOfRangeQueryParameterValue", 400,                              \
      "One of the query parameters specified in the request URI is outside the permissible "       \
      "range.")                                                                                    \
    X(FILES_INVALID_INPUT, "InvalidInput", 400, "One of the request inputs is not valid.")         \
    X(FILES_OUT_OF_RANGE, "OutOfRangeInput", 400, "One of the request inputs is out of range.")    \
    X(FILES_INVALID_METADATA, "InvalidMetadata", 400,                                              \
      "The metadata specified is invalid. It has characters that are not permitted.")              \
    X(FILES_EMPTY_KEY, "EmptyMetadataKey", 400,                                                    \
      "The key for one of the metadata key-value pairs is empty.")                                 \
    X(FILES_METADATA_TOO_LARGE, "MetadataTooLarge", 400,                                           \
      "The size of the specified metadata exceeds the maximum size permitted.")                    \
    X(FILES_INVALID_XML, "InvalidXmlDocument", 400, "XML specified is not syntactically valid.")   \
    X(FILES_INVALID_XML_VALUE, "InvalidXmlNodeValue", 400,                                         \
      "The value for one of the XML nodes is not in the correct format.")                          \
    X(FILES_UNSUPPORTED_XML, "UnsupportedXmlNode", 400,                                            \
      "One of the XML nodes specified in the request body is not supported.")                      \
    X(FILES_INVALID_MD5, "InvalidMd5", 400,                                                        \
      "The MD5 value specified in the request is invalid. The MD5 value must be 128 bits "         \
      "and Base64-encoded.")                                                                       \
    X(FILES_MD5_MISMATCH, "Md5Mismatch", 400,                                                      \
      "The MD5 value specified in the request did not match with the MD5 value calculated "        \
      "by the server.")                                                                            \
    X(FILES_CRC64_MISMATCH, "Crc64Mismatch", 400,                                                  \
      "The CRC64 value specified in the request did not match with the CRC64 value "               \
      "calculated by the server.")                                                                 \
    X(FILES_INVALID_PERMISSION, "FileInvalidPermission", 400,                                      \
      "The specified file permission is not valid.")                                               \
    X(FILES_NO_PERMISSION_KEY, "FileInvalidPermissionKey", 400,                                    \
      "The specified file permission key doesn't exist in the share.")                             \
    X(FILES_GENERATION_MISMATCH, "FileGenerationMismatch", 409,                                    \
      "The file has been recreated since the previous snapshot was taken.")                        \
    X(FILES_ON_SNAPSHOT, "ShareSnapshotOperationNotSupported", 400,                                \
      "The specified operation is not supported on a share snapshot.")                             \
    X(FILES_COPY_SOURCE, "CannotVerifyCopySource", 400,                                            \
      "Could not verify the copy source: it is no file of this emulator's.")                       \
    X(FILES_COPY_SOURCE_DENIED, "CannotVerifyCopySource", 403,                                     \
      "Could not verify the copy source: the request may not read it.")                            \
    X(FILES_COPY_SOURCE_MISSING, "CannotVerifyCopySource", 404,                                    \
      "Could not verify the copy source: the specified resource does not exist.")                  \
    X(FILES_NOT_FOUND, "ResourceNotFound", 404, "The specified resource does not exist.")          \
    X(FILES_UNSUPPORTED_VERB, "UnsupportedHttpVerb", 405,                                          \
      "The resource doesn't support the specified HTTP verb.")                                     \
    X(FILES_NO_COPY, "NoPendingCopyOperation", 409,                                                \
      "There is currently no pending copy operation.")                                             \
    X(FILES_READ_ONLY, "ReadOnlyAttribute", 409,                                                   \
      "The specified resource is read-only and cannot be modified at this time.")                  \
    X(FILES_OTHER_KIND, "ResourceTypeMismatch", 409,                                               \
      "The specified resource type does not match the type of the existing resource.")             \
    X(FILES_CONDITION_NOT_MET, "ConditionNotMet", 412,                                             \
      "The condition specified using HTTP conditional header(s) is not met.")                      \
    X(FILES_SNAPSHOT_LEASED, "DeleteShareWhenSnapshotLeased", 409,                                 \
      "Unable to delete share because one or more share snapshots have active leases.")            \
    X(FILES_CORS_FAILURE, "CorsPreflightFailure", 403,                                             \
      "CORS not enabled or no matching rule found for this request.")                              \
    X(FILES_LEASE_MISSING, "LeaseIdMissing", 412,                                                  \
      "There is currently a lease on the resource and no lease ID was specified in the "           \
      "request.")                                                                                  \
    X(FILES_LEASE_LOST, "LeaseLost", 412,                                                          \
      "A lease ID was specified, but the lease for the resource has expired.")                     \
    X(FILES_LEASE_MISMATCH_OF_FILE, "LeaseIdMismatchWithFileOperation", 412,                       \
      "The lease ID specified did not match the lease ID for the file.")                           \
    X(FILES_LEASE_MISMATCH_OF_SHARE, "LeaseIdMismatchWithContainerOperation", 412,                 \
      "The lease ID specified did not match the lease ID for the share.")                          \
    X(FILES_NO_LEASE_OF_FILE, "LeaseNotPresentWithFileOperation", 412,                             \
      "There is currently no lease on the file.")                                                  \
    X(FILES_NO_LEASE_OF_SHARE, "LeaseNotPresentWithContainerOperation", 412,                       \
      "There is currently no lease on the share.")                                                 \
    X(FILES_BODY_TOO_LARGE, "RequestBodyTooLarge", 413,                                            \
      "The size of the request body exceeds the maximum size permitted.")                          \
    X(FILES_NOT_IMPLEMENTED, "NotImplemented", 501,                                                \
      "The requested operation is not implemented by this emulator.")                              \
    /* failures of the file store */                                                               \
    X(FILES_NO_SHARE, "ShareNotFound", 404, "The specified share does not exist.")                 \
    X(FILES_NO_PARENT, "ParentNotFound", 404, "The specified parent path does not exist.")         \
    X(FILES_SHARE_EXISTS, "ShareAlreadyExists", 409, "The specified share already exists.")        \
    X(FILES_EXISTS, "ResourceAlreadyExists", 409, "The specified resource already exists.")        \
    X(FILES_NOT_EMPTY, "DirectoryNotEmpty", 409, "The specified directory is not empty.")          \
    X(FILES_NO_PREVIOUS, "PreviousSnapshotNotFound", 409, "The previous snapshot is not found.")   \
    X(FILES_MANY_SNAPSHOTS, "ShareSnapshotCountExceeded", 409,                                     \
      "The total number of snapshots for the share is over the limit.")                            \
    X(FILES_HAS_SNAPSHOTS, "ShareHasSnapshots", 409,                                               \
      "The share has snapshots and the operation requires no snapshots.")                          \
    X(FILES_BAD_RANGE, "InvalidRange", 416,                                                        \
      "The range specified is invalid for the current size of the resource.")                      \
    X(FILES_TOO_LARGE, "FileSizeTooLarge", 400,                                                    \
      "The file size exceeds the maximum permissible limit.")                                      \
    X(FILES_SHARE_FULL, "ShareSizeLimitReached", 403,                                              \
      "The operation would make the share larger than its quota.")                                 \
    X(FILES_NO_SPACE, "InsufficientStorage", 507,                                                  \
      "The disk that holds the emulator's state is full.")                                         \
    X(FILES_MACHINE_FAILED, "InternalError", 500,                                                  \
      "The disk that holds the emulator's state has failed.")                                      \
    /* authorisation */                                                                            \
    X(FILES_AUTHENTICATION_FAILED, "AuthenticationFailed", 403,                                    \
      "Server failed to authenticate the request. Make sure the value of Authorization "           \
      "header is formed correctly including the signature.")                                       \
    X(FILES_PERMISSION_MISMATCH, "AuthorizationPermissionMismatch", 403,                           \
      "This request is not authorized to perform this operation using this permission.")           \
    X(FILES_RESOURCE_TYPE_MISMATCH, "AuthorizationResourceTypeMismatch", 403,                      \
      "This request is not authorized to perform this operation using this resource type.")        \
    X(FILES_SERVICE_MISMATCH, "AuthorizationServiceMismatch", 403,                                 \
      "This request is not authorized to perform this operation using this service.")              \
    X(FILES_PROTOCOL_MISMATCH, "AuthorizationProtocolMismatch", 403,                               \
      "This request is not authorized to perform this operation using this protocol.")             \
    X(FILES_SOURCE_IP_MISMATCH, "AuthorizationSourceIPMismatch", 403,                              \
      "This request is not authorized to perform this operation using this source IP.")            \
    /* actions on leases */                                                                        \
    X(FILES_LEASE_PRESENT, "LeaseAlreadyPresent", 409, "There is already a lease present.")        \
    X(FILES_LEASE_MISMATCH, "LeaseIdMismatchWithLeaseOperation", 409,                              \
      "The lease ID specified did not match the lease ID for the resource with the "               \
      "specified lease operation.")                                                                \
    X(FILES_LEASE_ABSENT, "LeaseNotPresentWithLeaseOperation", 409,                                \
      "There is currently no lease on the resource.")                                              \
    X(FILES_LEASE_BREAKING_ACQUIRED, "LeaseIsBreakingAndCannotBeAcquired", 409,                    \
      "The lease ID matched, but the lease is currently in breaking state and cannot be "          \
      "acquired until it is broken.")                                                              \
    X(FILES_LEASE_BREAKING_CHANGED, "LeaseIsBreakingAndCannotBeChanged", 409,                      \
      "The lease ID matched, but the lease is currently in breaking state and cannot be "          \
      "changed.")                                                                                  \
    X(FILES_LEASE_BROKEN_RENEWED, "LeaseIsBrokenAndCannotBeRenewed", 409,                          \
      "The lease ID matched, but the lease has been broken explicitly and cannot be "              \
      "renewed.")                                                                                  \
    /* addresses */                                                                                \
    X(FILES_ADDRESS_URI, "InvalidUri", 400, "The requested URI is no valid URI of this service.")  \
    X(FILES_ADDRESS_ACCOUNT, "InvalidUri", 400,                                                    \
      "The account name has 3 to 24 small letters and digits.")                                    \
    X(FILES_ADDRESS_SHARE, "InvalidResourceName", 400,                                             \
      "A share name has 3 to 63 small letters, digits and single hyphens between them.")           \
    X(FILES_ADDRESS_SHARE_LENGTH, "OutOfRangeInput", 400,                                          \
      "The specified resource name length is not within the permissible limits.")                  \
    X(FILES_ADDRESS_NAME, "InvalidResourceName", 400,                                              \
      "The specified resource name contains invalid characters, or is too long.")                  \
    X(FILES_ADDRESS_PATH, "InvalidFileOrDirectoryPathName", 400,                                   \
      "File or directory path is too long or has too many subdirectories.")                        \
    X(FILES_ADDRESS_SNAPSHOT, "InvalidQueryParameterValue", 400,                                   \
      "The value of sharesnapshot is no time of a snapshot.")                                      \
    /* the blob host */                                                                            \
    X(FILES_CONTAINER_EXISTS, "ContainerAlreadyExists", 409,                                       \
      "The specified container already exists.")                                                   \
    X(FILES_NO_CONTAINER, "ContainerNotFound", 404, "The specified container does not exist.")     \
    /* what the simulated cloud refuses: its own words are the message */                          \
    X(FILES_WORLD_BAD_INPUT, "InvalidInput", 400, "%s")                                            \
    X(FILES_WORLD_NOT_FOUND, "ResourceNotFound", 404, "%s")                                        \
    X(FILES_WORLD_CONFLICT, "OperationNotAllowed", 409, "%s")

#define AZURE_ERRORS(X) AZURE_FILES_ERRORS(X)

typedef enum {
    AZURE_OK, /* no error */
#define X(name, code, status, message) AZURE_##name,
    AZURE_ERRORS(X)
#undef X
        AZURE_ERROR_COUNT
} AzureError;

typedef struct {
    const char *code;
    int32_t status;
    const char *message; /* with its "%s" */
} AzureErrorRow;

/* Not of AZURE_OK. */
const AzureErrorRow *azure_error(AzureError error);

/* The error's message in `arena`, with each "%s" replaced by the next of `values`, which are all of
 * type const char *. */
const char *azure_error_message(Arena *arena, AzureError error, va_list values);

#endif
