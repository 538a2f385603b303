/* Every error of Azure's protocols, with its code, HTTP status and message, in one table with a
 * section for each service. A service writes an error in its own format (emu/arm/arm.h as JSON,
 * emu/files/call.h as XML). */
#ifndef EMU_AZURE_ERROR_H
#define EMU_AZURE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* X(ENUM, code, status, message). The caller gives a text for each "%s" in a message. */
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
      "Could not verify the copy source: it is not a file of this emulator.")                      \
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
    X(FILES_CONTENTS_DAMAGED, "ContentsDamaged", 500,                                              \
      "The stored contents of the file differ from their checksum.")                               \
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
    X(FILES_ADDRESS_URI, "InvalidUri", 400,                                                        \
      "The requested URI is not a valid URI of this service.")                                     \
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
      "The value of sharesnapshot is not the time of a snapshot.")                                 \
    /* the blob host */                                                                            \
    X(FILES_CONTAINER_EXISTS, "ContainerAlreadyExists", 409,                                       \
      "The specified container already exists.")                                                   \
    X(FILES_NO_CONTAINER, "ContainerNotFound", 404, "The specified container does not exist.")     \
    /* refusals of the simulated cloud, with its words */                                          \
    X(FILES_WORLD_BAD_INPUT, "InvalidInput", 400, "%s")                                            \
    X(FILES_WORLD_NOT_FOUND, "ResourceNotFound", 404, "%s")                                        \
    X(FILES_WORLD_CONFLICT, "OperationNotAllowed", 409, "%s")

/* The Resource Manager. */
#define AZURE_ARM_ERRORS(X)                                                                        \
    X(ARM_NO_TOKEN, "AuthenticationFailed", 401,                                                   \
      "Authentication failed. The 'Authorization' header is missing or has no bearer token. The "  \
      "emulator accepts any: 'Authorization: Bearer x'.")                                          \
    X(ARM_NO_API_VERSION, "MissingApiVersionParameter", 400,                                       \
      "The api-version query parameter (?api-version=) is required for all requests.")             \
    X(ARM_INVALID_API_VERSION, "InvalidApiVersionParameter", 400,                                  \
      "The api-version '%s' is invalid: versions are dates in the past such as '2018-05-01' or "   \
      "'2018-05-01-preview'.")                                                                     \
    X(ARM_OTHER_API_VERSION, "NoRegisteredProviderFound", 400,                                     \
      "No registered resource provider found for location '%s' and API version '%s' for type "     \
      "'%s'. The supported api-versions are '%s'.")                                                \
    X(ARM_BODY_TOO_LARGE, "RequestContentTooLarge", 413,                                           \
      "The request content size exceeds the maximum size of 4 MB.")                                \
    X(ARM_INVALID_PATH, "InvalidPath", 400, "The path of the request is malformed.")               \
    X(ARM_UNKNOWN_PATH, "NotFound", 404,                                                           \
      "No HTTP resource was found that matches the request path '%s'.")                            \
    X(ARM_UNKNOWN_TYPE, "InvalidResourceType", 404,                                                \
      "The resource type could not be found in the namespace '%s' for api version "                \
      "'%s'.")                                                                                     \
    X(ARM_UNKNOWN_NAMESPACE, "InvalidResourceNamespace", 404,                                      \
      "The resource namespace '%s' is invalid.")                                                   \
    X(ARM_METHOD_NOT_ALLOWED, "MethodNotAllowed", 405,                                             \
      "The requested resource does not support http method '%s'.")                                 \
    X(ARM_NOT_IMPLEMENTED, "NotImplemented", 501, "The emulator does not implement %s (%s).")      \
    X(ARM_INVALID_JSON, "InvalidRequestContent", 400,                                              \
      "The request content was invalid and could not be deserialized: line %s, column "            \
      "%s: %s")                                                                                    \
    X(ARM_INVALID_CONTENT, "InvalidRequestContent", 400, "%s")                                     \
    X(ARM_INVALID_PARAMETER, "InvalidParameter", 400,                                              \
      "The query parameter '%s' is '%s', expected %s to %s.")                                      \
    X(ARM_INVALID_NAME, "InvalidResourceName", 400,                                                \
      "The name '%s' is invalid: names have 1 to %s letters, digits, hyphens and "                 \
      "underscores.")                                                                              \
    X(ARM_NO_SUBSCRIPTION, "SubscriptionNotFound", 404,                                            \
      "The subscription '%s' could not be found.")                                                 \
    X(ARM_NO_RESOURCE, "ResourceNotFound", 404,                                                    \
      "The Resource '%s/%s' under resource group '%s' was not found.")                             \
    X(ARM_NO_OPERATION, "OperationNotFound", 404, "The operation '%s' could not be found.")        \
    X(ARM_INVALID_FILTER, "InvalidFilterInQueryString", 400,                                       \
      "The emulator does not understand the filter '%s': expected terms such as "                  \
      "\"resourceGroup eq 'g'\", joined by \"and\".")                                              \
    /* locations */                                                                                \
    X(ARM_NO_LOCATION, "LocationRequired", 400,                                                    \
      "The location property is required for this definition.")                                    \
    X(ARM_LOCATION_OF_GROUP, "LocationNotAvailableForResourceGroup", 400,                          \
      "The provided location '%s' is not available for resource group. List of "                   \
      "available regions is '%s'.")                                                                \
    X(ARM_LOCATION_OF_TYPE, "LocationNotAvailableForResourceType", 400,                            \
      "The provided location '%s' is not available for resource type '%s'. List of "               \
      "available regions for the resource type is '%s'.")                                          \
    X(ARM_OTHER_LOCATION, "InvalidResourceLocation", 409,                                          \
      "The resource '%s' already exists in location '%s' in resource group '%s'. A "               \
      "resource with the same name cannot be created in location '%s'. Please select "             \
      "a new resource name.")                                                                      \
    /* groups */                                                                                   \
    X(ARM_INVALID_GROUP_NAME, "InvalidResourceGroup", 400,                                         \
      "The resource group name '%s' is invalid: 1 to %s letters, digits and %s, not "              \
      "ending in a period.")                                                                       \
    X(ARM_OTHER_GROUP_LOCATION, "InvalidResourceGroupLocation", 409,                               \
      "Invalid resource group location '%s'. The Resource group already exists in "                \
      "location '%s'.")                                                                            \
    X(ARM_NO_GROUP, "ResourceGroupNotFound", 404, "Resource group '%s' could not be found.")       \
    X(ARM_GROUP_BEING_DELETED, "ResourceGroupBeingDeleted", 409,                                   \
      "The resource group '%s' is in deprovisioning state and cannot perform this "                \
      "operation.")                                                                                \
    /* storage accounts */                                                                         \
    X(ARM_INVALID_ACCOUNT_NAME, "AccountNameInvalid", 400, "%s")                                   \
    X(ARM_ACCOUNT_TAKEN, "StorageAccountAlreadyTaken", 409,                                        \
      "The storage account named %s is already taken.")                                            \
    X(ARM_INVALID_ACCOUNT_CHOICE, "InvalidValuesForRequestParameters", 400,                        \
      "Values for request parameters are invalid: %s. Expected is one of %s.")                     \
    X(ARM_FIXED_ACCOUNT_PROPERTY, "AccountPropertyCannotBeUpdated", 409,                           \
      "The property '%s' of a storage account cannot be changed to this.")                         \
    X(ARM_NO_ROOM_FOR_SECRET, "InsufficientStorage", 507,                                          \
      "The emulator's disk has no room for the secret of its keys.")                               \
    /* sign-in */                                                                                  \
    X(ARM_INVALID_FORM, "invalid_request", 400, "The form in the body is malformed.")              \
    X(ARM_INVALID_TOKEN_REQUEST, "invalid_request", 400,                                           \
      "Expected the header 'Metadata: true' and a resource in the form.")                          \
    X(ARM_UNSUPPORTED_GRANT, "unsupported_grant_type", 400,                                        \
      "The emulator gives tokens for grant_type=client_credentials with a scope.")                 \
    /* refusals by the simulated cloud or the disk, whose own words are the message; the           \
     * service's code for its one quota is published (azure-docs issue 17809), without a           \
     * status */                                                                                   \
    X(ARM_FAILED, "InternalServerError", 500, "%s")                                                \
    X(ARM_BAD_INPUT, "InvalidRequestContent", 400, "%s")                                           \
    X(ARM_NOT_FOUND, "ResourceNotFound", 404, "%s")                                                \
    X(ARM_CONFLICT, "Conflict", 409, "%s")                                                         \
    X(ARM_QUOTA, "ClusterQuotaReached", 409, "%s")                                                 \
    X(ARM_NO_SPACE, "InsufficientStorage", 507, "%s")

/* Batch AI. */
#define AZURE_BATCHAI_ERRORS(X)                                                                    \
    X(BATCHAI_NO_WORKSPACE, "WorkspaceNotFound", 404, "The specified workspace %s is not found")   \
    X(BATCHAI_NO_EXPERIMENT, "ExperimentNotFound", 404,                                            \
      "The specified experiment %s is not found")                                                  \
    X(BATCHAI_NO_CLUSTER, "ClusterNotFound", 404, "The specified cluster %s is not found")         \
    X(BATCHAI_NO_JOB, "JobNotFound", 404, "The specified job %s is not found")                     \
    /* not recorded */                                                                             \
    X(BATCHAI_NO_FILE_SERVER, "FileServerNotFound", 404,                                           \
      "The specified file server %s is not found")                                                 \
    X(BATCHAI_BEING_DELETED, "Conflict", 409, "'%s' is being deleted.")                            \
    X(BATCHAI_EXISTS_OTHERWISE, "Conflict", 409,                                                   \
      "'%s' exists already and was asked for in another way: delete it first.")                    \
    X(BATCHAI_NO_OUTPUT_ID, "InvalidParameter", 400,                                               \
      "The query parameter 'outputdirectoryid' is missing.")                                       \
    X(BATCHAI_NO_OUTPUT_DIRECTORY, "OutputDirectoryNotFound", 404,                                 \
      "The specified outputDirectoryId %s is not found")                                           \
    /* the words are the service's; their code is not recorded */                                  \
    X(BATCHAI_OUTPUT_NOT_MOUNTED, "InvalidParameter", 400,                                         \
      "The specified outputDirectoryId %s is not present on a mount root")                         \
    X(BATCHAI_OUTSIDE_OUTPUT, "InvalidParameter", 400,                                             \
      "The query parameter 'directory' is '%s', which leads out of the directory.")                \
    X(BATCHAI_FILE_SERVER_FAILED, "FileServerProvisioningFailed", 409,                             \
      "File Server provisioning has failed")                                                       \
    X(BATCHAI_OPERATION_CANCELED, "OperationCanceled", 409,                                        \
      "The resource was deleted before it was created")

#define AZURE_ERRORS(X) AZURE_FILES_ERRORS(X) AZURE_ARM_ERRORS(X) AZURE_BATCHAI_ERRORS(X)

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
    const char *message; /* with the "%s" */
} AzureErrorRow;

/* `error` is not AZURE_OK. */
const AzureErrorRow *azure_error(AzureError error);

/* The error's message in `arena`, with each "%s" replaced by the next of `values`, which are all of
 * type const char *. */
const char *azure_error_message(Arena *arena, AzureError error, va_list values);

#endif
