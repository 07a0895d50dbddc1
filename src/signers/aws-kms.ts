// Signs with a key of AWS KMS. Credentials come from the default chain of the SDK.
import type { KMSClient, KMSClientConfig } from '@aws-sdk/client-kms'
import type { Hex } from '../domain/ids.ts'
import { memberOf } from '../ops/member.ts'
import { brokenOff, malformed, permanent, withFreshCredentials } from './exchange.ts'
import { importOptional } from './import-optional.ts'
import { type KeyService, KeyServiceError } from './key-service.ts'
import { publicKeyOfDer, wrongCurve } from './public-key.ts'
import type { AwsKmsSettings } from './settings.ts'

type Sdk = typeof import('@aws-sdk/client-kms')

/** Per account and region; older documents say 300. */
const signaturesPerSecond = 1_000
const callsAtOnce = 50

const throttledNames = ['ThrottlingException', 'Throttling', 'TooManyRequestsException', 'LimitExceededException']
const transientNames = [
  ...['KMSInternalException', 'DependencyTimeoutException', 'KeyUnavailableException', 'InternalFailure'],
  // The SDK corrects its clock by the answer, so the next request is right.
  ...['RequestTimeTooSkewed', 'RequestExpired', 'ServiceUnavailable', 'TimeoutError', 'AbortError'],
]
const expiredNames = ['ExpiredTokenException', 'ExpiredToken']

/** Throws SignerError if the SDK is not installed. */
export async function openAwsKms(
  settings: AwsKmsSettings & { readonly id: string },
  load: () => Promise<Sdk> = () => import('@aws-sdk/client-kms'),
): Promise<KeyService> {
  const sdk = await importOptional(settings, '@aws-sdk/client-kms', '^3.1162.0', load)
  const { region, keyId } = settings
  let client = newClient(sdk, region)
  /** The ARN that an id or an alias meant when the signer opened: an alias can be pointed at another key. */
  let pinned: string | undefined

  /** One try of ours is one request: the SDK's own attempts would bypass the queue. */
  const send = <T>(call: (client: KMSClient) => Promise<T>) =>
    withFreshCredentials(
      async (isSecond) => {
        if (isSecond) {
          client.destroy()
          client = newClient(sdk, region)
        }
        return call(client).catch((error: unknown) => {
          throw explained(error)
        })
      },
      ({ code }) => expiredNames.includes(code),
    )

  return {
    // KMS counts a request against the caller's account, also if the key is of another one.
    quotaDomain: `aws_kms:${region}`,
    quota: { perSecond: signaturesPerSecond, concurrency: callsAtOnce },
    canProbe: true,
    async open(abortSignal) {
      const key = await send((kms) =>
        kms.send(new sdk.GetPublicKeyCommand({ KeyId: pinned ?? keyId }), { abortSignal }),
      )
      if (key.KeySpec !== 'ECC_SECG_P256K1') throw wrongCurve(key.KeySpec ?? 'no curve at all')
      if (key.KeyUsage !== 'SIGN_VERIFY') {
        throw permanent(`its key is for ${key.KeyUsage}; create one for SIGN_VERIFY`, 'InvalidKeyUsageException')
      }
      if (key.PublicKey === undefined || key.KeyId === undefined) throw malformed('PublicKey or KeyId')
      pinned = key.KeyId
      return { publicKey: publicKeyOfDer(key.PublicKey), keyVersion: key.KeyId }
    },
    async sign({ digest }, abortSignal) {
      const request = {
        KeyId: pinned ?? keyId,
        Message: Buffer.from(digest.slice(2), 'hex'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      } as const
      const answer = await send((kms) => kms.send(new sdk.SignCommand(request), { abortSignal }))
      if (answer.Signature === undefined) throw malformed('Signature')
      const requestId = answer.$metadata.requestId
      const bytes: Hex = `0x${Buffer.from(answer.Signature).toString('hex')}`
      return { encoding: 'der', bytes, ...(requestId !== undefined && { requestId }) }
    },
    close: async () => client.destroy(),
  }
}

function newClient({ KMSClient }: Sdk, region: string): KMSClient {
  const config: KMSClientConfig = {
    region,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  }
  return new KMSClient(config)
}

/** The messages of AWS name keys, accounts and roles, and no secret. */
function explained(error: unknown): KeyServiceError {
  const name = memberOf(error, 'name')
  const status = memberOf(memberOf(error, '$metadata'), 'httpStatusCode')
  if (typeof name !== 'string' || !(error instanceof Error)) return brokenOff(error)
  if (throttledNames.includes(name)) return failed(error, name, 'throttled')
  if (transientNames.includes(name) || (typeof status === 'number' && status >= 500)) {
    return failed(error, name, 'transient')
  }
  // Without a status no answer came: the connection broke. A chain without credentials is for the operator, though.
  if (status === undefined && name !== 'CredentialsProviderError') return brokenOff(error)
  return failed(error, name, 'permanent')
}

function failed(error: Error, code: string, kind: KeyServiceError['kind']): KeyServiceError {
  return new KeyServiceError(`${code}: ${error.message.slice(0, 300)}`, { kind, code })
}
