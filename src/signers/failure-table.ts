// The one table of failures of key services: which are tried again, which renew credentials, and which wait for a person. Each row
// names its source. docs/signers.md shows the codes, and a test compares both.
import type { KeyServiceErrorKind } from './key-service.ts'
import type { KeyServiceType } from './settings.ts'

/**
 * - `throttled`: the rate is halved. `pending`: the service is at work on it.
 * - `approval`: people have to approve this one signature; the service looks at it again, and signs others meanwhile.
 * - `transient`: tried again within seconds. `clock`: so too if the date of the answer shows another time, else `credentials`.
 * - `renewed`: the credentials are renewed and the call is repeated once; then it is one of `credentials`.
 * - `credentials`: as `permanent`, but as `transient` for ten minutes after the start and after each signature.
 * - `permanent`: a person has to act; a try every 15 to 60 seconds finds out when that has happened.
 * - `once`: as `permanent`, and never tried again in the life of the process.
 * - `otherKey`: as `permanent`, and it ends the start, also of a signer that has worked.
 */
type FailureKind = KeyServiceErrorKind | 'clock' | 'renewed' | 'once' | 'otherKey'

/** `https`: every service that is reached by requests of our own. `all`: every service. */
export type FailureProvider = KeyServiceType | 'https' | 'all'

interface FailureRow {
  readonly of: FailureProvider
  /** Codes as conditions show them, or a status: `HTTP 429`, `HTTP 5xx`. */
  readonly codes: readonly string[]
  readonly kind: FailureKind
  readonly source: string
}

const kmsSign = 'https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html#API_Sign_Errors'
const kmsCommon = 'https://docs.aws.amazon.com/kms/latest/APIReference/CommonErrors.html'
const sts =
  'https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html#API_AssumeRoleWithWebIdentity_Errors'
const smithy = 'https://github.com/smithy-lang/smithy-typescript/tree/main/packages/service-error-classification'
const rpcCodes = 'https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto'
const azure = 'https://learn.microsoft.com/azure/key-vault/general/rest-error-codes'
const azureToken =
  'https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token#error-handling'
const vault = 'https://developer.hashicorp.com/vault/api-docs#http-status-codes'
const turnkey = 'https://docs.turnkey.com/developer-reference/api-overview/errors'
const activities = 'https://docs.turnkey.com/developer-reference/api-overview/submissions'
const cdp = 'https://docs.cdp.coinbase.com/api-reference/v2/errors'
/** The type v1ActivityStatus. */
const activityTypes =
  'https://github.com/tkhq/sdk/blob/main/packages/http/src/__generated__/services/coordinator/public/v1/public_api.types.ts'
const web3signer =
  'https://github.com/Consensys/web3signer/blob/master/core/src/main/resources/openapi-specs/eth1/web3signer.yaml'
const cryptoki = 'https://docs.oasis-open.org/pkcs11/pkcs11-spec/v3.1/pkcs11-spec-v3.1.html'
const semantics = 'https://www.rfc-editor.org/rfc/rfc9110#section-15'
const own = 'this service'

export const failureTable: readonly FailureRow[] = [
  { of: 'https', codes: ['HTTP 429'], kind: 'throttled', source: 'https://www.rfc-editor.org/rfc/rfc6585#section-4' },
  // A standby of Vault redirects, and nothing follows a redirect with credentials.
  { of: 'https', codes: ['HTTP 408', 'HTTP 5xx', 'HTTP 3xx'], kind: 'transient', source: semantics },
  { of: 'https', codes: ['HTTP 401', 'HTTP 403'], kind: 'credentials', source: semantics },
  { of: 'https', codes: ['HTTP 4xx'], kind: 'permanent', source: semantics },
  { of: 'https', codes: ['NO_ANSWER', 'MALFORMED_ANSWER', 'ANSWER_TOO_LONG'], kind: 'transient', source: own },
  { of: 'all', codes: ['Timeout', 'TOKEN_TIMEOUT', 'NOT_OPEN'], kind: 'transient', source: own },
  { of: 'all', codes: ['TOKEN_PENDING'], kind: 'pending', source: own },
  {
    of: 'all',
    codes: ['AddressMismatch', 'InvalidPublicKey', 'INVALID_PUBLIC_KEY', 'WRONG_CURVE', 'WrongKey'],
    ...{ kind: 'otherKey', source: own },
  },
  {
    of: 'aws_kms',
    codes: ['ThrottlingException', 'Throttling', 'TooManyRequestsException', 'LimitExceededException'],
    ...{ kind: 'throttled', source: smithy },
  },
  {
    of: 'aws_kms',
    codes: ['KMSInternalException', 'DependencyTimeoutException', 'KeyUnavailableException'],
    ...{ kind: 'transient', source: kmsSign },
  },
  {
    of: 'aws_kms',
    codes: ['InternalFailure', 'ServiceUnavailable', 'RequestExpired'],
    kind: 'transient',
    source: kmsCommon,
  },
  // The SDK corrects its clock by the answer, so the next request is right.
  { of: 'aws_kms', codes: ['RequestTimeTooSkewed', 'TimeoutError'], kind: 'transient', source: smithy },
  // A try of ours that ran out of time.
  { of: 'aws_kms', codes: ['AbortError'], kind: 'transient', source: own },
  // STS calls it SignatureDoesNotMatch.
  { of: 'aws_kms', codes: ['InvalidSignatureException', 'SignatureDoesNotMatch'], kind: 'clock', source: smithy },
  {
    of: 'aws_kms',
    codes: [
      ...['IDPCommunicationError', 'IDPCommunicationErrorException'],
      ...['InvalidIdentityToken', 'InvalidIdentityTokenException'],
    ],
    ...{ kind: 'transient', source: sts },
  },
  // STS, an identity provider or the metadata service failed, for a moment or for long.
  {
    of: 'aws_kms',
    codes: ['CredentialsProviderError'],
    kind: 'transient',
    source: 'https://github.com/smithy-lang/smithy-typescript/tree/main/packages/property-provider',
  },
  // The second: of a session whose role was deleted and made again.
  {
    of: 'aws_kms',
    codes: ['ExpiredTokenException', 'UnrecognizedClientException'],
    ...{ kind: 'renewed', source: kmsCommon },
  },
  { of: 'aws_kms', codes: ['ExpiredToken', 'InvalidClientTokenId'], kind: 'renewed', source: sts },
  {
    of: 'aws_kms',
    codes: ['DisabledException', 'KMSInvalidStateException', 'NotFoundException'],
    ...{ kind: 'permanent', source: kmsSign },
  },
  { of: 'aws_kms', codes: ['AccessDeniedException', 'AccessDenied'], kind: 'credentials', source: kmsCommon },
  { of: 'aws_kms', codes: ['InvalidKeyUsageException'], kind: 'otherKey', source: kmsSign },
  { of: 'google_cloud_kms', codes: ['UNAUTHENTICATED'], kind: 'renewed', source: rpcCodes },
  {
    of: 'google_cloud_kms',
    codes: ['CRC32C_MISMATCH'],
    kind: 'transient',
    source: 'https://cloud.google.com/kms/docs/data-integrity-guidelines',
  },
  {
    of: 'google_cloud_kms',
    codes: ['FAILED_PRECONDITION', 'NOT_FOUND'],
    ...{ kind: 'permanent', source: rpcCodes },
  },
  { of: 'google_cloud_kms', codes: ['PERMISSION_DENIED'], kind: 'credentials', source: rpcCodes },
  { of: 'google_cloud_kms', codes: ['NO_CREDENTIALS'], kind: 'credentials', source: own },
  { of: 'azure_key_vault', codes: ['HTTP 401'], kind: 'renewed', source: azure },
  { of: 'azure_key_vault', codes: ['KEY_OPERATIONS'], kind: 'otherKey', source: own },
  // While it is updated, a machine's metadata service answers so.
  { of: 'azure_key_vault', codes: ['token HTTP_404', 'token HTTP_410'], kind: 'transient', source: azureToken },
  { of: 'azure_key_vault', codes: ['TOKEN_FILE'], kind: 'credentials', source: own },
  // The node has not caught up with the write of the token or the secret.
  { of: 'vault', codes: ['HTTP 412'], kind: 'transient', source: vault },
  { of: 'vault', codes: ['read HTTP_403'], kind: 'renewed', source: vault },
  { of: 'vault', codes: ['TOKEN_FILE'], kind: 'credentials', source: own },
  { of: 'vault', codes: ['INVALID_SECRET'], kind: 'otherKey', source: own },
  { of: 'turnkey', codes: ['HTTP 401', 'HTTP 403'], kind: 'renewed', source: turnkey },
  { of: 'turnkey', codes: ['ACTIVITY_STATUS_PENDING'], kind: 'pending', source: activities },
  { of: 'turnkey', codes: ['ACTIVITY_STATUS_CREATED'], kind: 'pending', source: activityTypes },
  { of: 'turnkey', codes: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'], kind: 'approval', source: activities },
  { of: 'turnkey', codes: ['ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'], kind: 'approval', source: activityTypes },
  { of: 'turnkey', codes: ['ACTIVITY_STATUS_FAILED'], kind: 'permanent', source: activities },
  { of: 'turnkey', codes: ['ACTIVITY_STATUS_REJECTED'], kind: 'permanent', source: activityTypes },
  // It refuses valid tokens now and then, and the next request as well.
  { of: 'cdp', codes: ['HTTP 401'], kind: 'transient', source: cdp },
  { of: 'cdp', codes: ['WRONG_KEY'], kind: 'otherKey', source: own },
  // It answers before its keys are loaded.
  { of: 'web3signer', codes: ['NO_KEYS'], kind: 'transient', source: web3signer },
  // While it loads its keys anew.
  { of: 'web3signer', codes: ['HTTP 404'], kind: 'transient', source: web3signer },
  { of: 'web3signer', codes: ['KEY_NOT_FOUND'], kind: 'permanent', source: web3signer },
  {
    of: 'web3signer',
    codes: ['HOST_NOT_AUTHORIZED'],
    kind: 'permanent',
    source: 'https://docs.web3signer.consensys.io/reference/cli/options#http-host-allowlist',
  },
  { of: 'pkcs11', codes: ['CHILD_ENDED', 'ABORTED', 'PKCS11_FAILED'], kind: 'transient', source: own },
  {
    of: 'pkcs11',
    codes: ['CKR_DEVICE_ERROR', 'CKR_DEVICE_REMOVED', 'CKR_SESSION_HANDLE_INVALID', 'CKR_USER_NOT_LOGGED_IN'],
    ...{ kind: 'transient', source: cryptoki },
  },
  // The same call would fail again.
  {
    of: 'pkcs11',
    codes: [
      ...['CKR_ARGUMENTS_BAD', 'CKR_FUNCTION_NOT_SUPPORTED', 'CKR_KEY_FUNCTION_NOT_PERMITTED', 'CKR_KEY_SIZE_RANGE'],
      ...['CKR_KEY_TYPE_INCONSISTENT', 'CKR_MECHANISM_INVALID', 'CKR_MECHANISM_PARAM_INVALID', 'CKR_USER_TYPE_INVALID'],
      ...['CKR_CURVE_NOT_SUPPORTED', 'CKR_DATA_LEN_RANGE', 'CKR_CANT_LOCK', 'CKR_NEED_TO_CREATE_THREADS'],
    ],
    ...{ kind: 'permanent', source: cryptoki },
  },
  { of: 'pkcs11', codes: ['KEY_NOT_FOUND', 'KEY_AMBIGUOUS', 'TOKEN_NOT_FOUND'], kind: 'permanent', source: own },
  // A token counts wrong PINs and locks itself.
  {
    of: 'pkcs11',
    codes: [
      ...['CKR_PIN_INCORRECT', 'CKR_PIN_INVALID', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_EXPIRED', 'CKR_PIN_LOCKED'],
      ...['CKR_PIN_TOO_WEAK', 'CKR_USER_PIN_NOT_INITIALIZED'],
    ],
    ...{ kind: 'once', source: cryptoki },
  },
  // The next wrong PIN would lock the token, and a login whose end nobody saw may have been one.
  { of: 'pkcs11', codes: ['PIN_FINAL_TRY', 'LOGIN_UNANSWERED'], kind: 'once', source: own },
  { of: 'pkcs11', codes: ['ALWAYS_AUTHENTICATE', 'MODULE_NOT_LOADED'], kind: 'otherKey', source: own },
]

/** The kind of a failure; undefined for a code that the table lacks. */
export function failureKind(of: FailureProvider, code: string): FailureKind | undefined {
  const find = (provider: FailureProvider) =>
    failureTable.find((row) => row.of === provider && row.codes.includes(code))?.kind
  return find(of) ?? find('all')
}

/** The kind of a status, by the provider's own rows, then by those of all; an exact status comes before its class. */
export function statusKind(of: FailureProvider, status: number): FailureKind {
  const [exact, byClass] = [`HTTP ${status}`, `HTTP ${Math.floor(status / 100)}xx`]
  const kinds = [
    failureKind(of, exact),
    failureKind(of, byClass),
    failureKind('https', exact),
    failureKind('https', byClass),
  ]
  // A status of a success that is none, or of no class, needs a person.
  return kinds.find((kind) => kind !== undefined) ?? 'permanent'
}

/** The kind for a KeyServiceError, once credentials were renewed and clocks compared. */
export function errorKind(kind: FailureKind): KeyServiceErrorKind {
  if (kind === 'clock' || kind === 'renewed') return 'credentials'
  return kind === 'once' || kind === 'otherKey' ? 'permanent' : kind
}

/** The kind at a source of credentials: whatever it refuses, there are none. */
export function kindAtSource(kind: KeyServiceErrorKind): KeyServiceErrorKind {
  return kind === 'permanent' ? 'credentials' : kind
}

export function codesThatAre(kind: FailureKind): readonly string[] {
  return failureTable.flatMap((row) => (row.kind === kind ? row.codes : []))
}

/**
 * The codes of C_Login, of a token whose next wrong PIN would lock it, and of a login whose end nobody saw. A token counts wrong PINs
 * and locks itself, so none of them is tried again.
 */
export const pinCodes: readonly string[] = codesThatAre('once')
