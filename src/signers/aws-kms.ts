// Signs with a key of AWS KMS. Credentials come from the default chain of the SDK.
import type { Agent } from 'node:https'
import type { KMSClient, KMSClientConfig } from '@aws-sdk/client-kms'
import type { Hex } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import { memberOf } from '../ops/member.ts'
import { brokenOff, malformed, permanent, type ServiceAccess, withFreshCredentials } from './exchange.ts'
import { errorKind, failureKind, kindAtSource, statusKind } from './failure-table.ts'
import { importOptional } from './import-optional.ts'
import { keepToken } from './keep-token.ts'
import { type KeyService, KeyServiceError, type KeyServiceErrorKind } from './key-service.ts'
import { proxyAgent } from './proxies.ts'
import { publicKeyOfDer, wrongCurve } from './public-key.ts'
import type { AwsKmsSettings } from './settings.ts'

type Sdk = typeof import('@aws-sdk/client-kms')

/** Per account and region; older documents say 300. */
const signaturesPerSecond = 1_000
const callsAtOnce = 50

/** Throws SignerError if the SDK is not installed. */
export async function openAwsKms(
  settings: AwsKmsSettings & { readonly id: string },
  { clock, proxies, noteDate }: Pick<ServiceAccess, 'clock' | 'proxies' | 'noteDate'>,
  load: () => Promise<Sdk> = () => import('@aws-sdk/client-kms'),
): Promise<KeyService> {
  const sdk = await importOptional(settings, '@aws-sdk/client-kms', '^3.1162.0', load)
  const { region, keyId } = settings
  const agent = proxies && (await proxyAgent(settings.id, proxies))
  /** Its connections serve all clients. */
  const first = new sdk.KMSClient(configOf(region, agent))
  const config = { ...configOf(region, agent), requestHandler: first.config.requestHandler }
  /** The ARN that an id or an alias meant when the signer opened: an alias can be pointed at another key. */
  let pinned: string | undefined

  /** It knows by how much the machine's clock is wrong. */
  let newest = first

  /** A client for the credentials that the chain of a new one finds. The SDK would wait for a request that hangs. */
  const tokens = keepToken(clock, async () => {
    try {
      const credentials = await new sdk.KMSClient(config).config.credentials()
      const end = credentials.expiration?.getTime() ?? Number.POSITIVE_INFINITY
      const { systemClockOffset } = newest.config
      newest = noting(new sdk.KMSClient({ ...config, credentials, systemClockOffset }), noteDate)
      return { token: newest, lifeMs: Math.max(0, end - clock.now()) }
    } catch (error) {
      throw explained(error, clock, kindAtSource)
    }
  })

  /** One try of ours is one request: the SDK's own attempts would bypass the queue. */
  const send = <T>(call: (client: KMSClient) => Promise<T>, signal: AbortSignal) => {
    let client: KMSClient | undefined
    return withFreshCredentials(
      async () => {
        if (client) tokens.refuse(client)
        client = await tokens.token(signal)
        return call(client).catch((error: unknown) => {
          throw explained(error, clock)
        })
      },
      ({ code }) => failureKind('aws_kms', code) === 'renewed',
    )
  }

  return {
    // KMS counts a request against the caller's account, also if the key is of another one.
    quotaDomain: `aws_kms:${region}`,
    quota: { perSecond: signaturesPerSecond, concurrency: callsAtOnce },
    canProbe: true,
    async open(abortSignal) {
      const key = await send(
        (kms) => kms.send(new sdk.GetPublicKeyCommand({ KeyId: pinned ?? keyId }), { abortSignal }),
        abortSignal,
      )
      if (key.KeySpec !== 'ECC_SECG_P256K1') throw wrongCurve(key.KeySpec ?? 'no curve at all')
      if (key.KeyUsage !== 'SIGN_VERIFY') {
        throw permanent(`its key is for ${key.KeyUsage}; create one for SIGN_VERIFY`, 'InvalidKeyUsageException')
      }
      if (key.PublicKey === undefined || key.KeyId === undefined) throw malformed('PublicKey or KeyId')
      pinned = key.KeyId
      return { publicKey: publicKeyOfDer(key.PublicKey), keyVersion: key.KeyId }
    },
    async ready(signal) {
      await tokens.token(signal)
    },
    awaitsToken: () => tokens.isAwaited(),
    tokenEndsInMs: () => tokens.endsInMs(),
    async sign({ digest }, abortSignal) {
      const request = {
        KeyId: pinned ?? keyId,
        Message: Buffer.from(digest.slice(2), 'hex'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      } as const
      const answer = await send((kms) => kms.send(new sdk.SignCommand(request), { abortSignal }), abortSignal)
      if (answer.Signature === undefined) throw malformed('Signature')
      const requestId = answer.$metadata.requestId
      const bytes: Hex = `0x${Buffer.from(answer.Signature).toString('hex')}`
      return { encoding: 'der', bytes, ...(requestId !== undefined && { requestId }) }
    },
    close: async () => first.destroy(),
  }
}

/** STS and the other sources of credentials use the same connections, and the metadata services never do. */
function configOf(region: string, agent: Agent | undefined): KMSClientConfig {
  return {
    region,
    maxAttempts: 1,
    requestHandler: {
      ...{ connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
      ...(agent && { httpsAgent: agent }),
    },
  }
}

/** The SDK shows the headers of an answer to its middleware only. */
function noting(client: KMSClient, noteDate: ServiceAccess['noteDate']): KMSClient {
  client.middlewareStack.add(
    (next) => async (given) => {
      const answered = await next(given)
      const date = memberOf(memberOf(answered.response, 'headers'), 'date')
      noteDate?.(typeof date === 'string' ? date : undefined)
      const time = amzTime(memberOf(memberOf(given.request, 'headers'), 'x-amz-date'))
      if (typeof answered.response === 'object' && answered.response) requestTimes.set(answered.response, time)
      return answered
    },
    { step: 'deserialize', priority: 'low' },
  )
  return client
}

/** The time that the request of an answer named, which the SDK has corrected by earlier answers. */
const requestTimes = new WeakMap<object, number>()

/** ISO 8601 without separators. */
function amzTime(text: unknown): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(text))
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = parts ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** A message of AWS may quote credentials, which are taken out of it. */
function explained(
  error: unknown,
  clock: Clock,
  kindOf = (kind: KeyServiceErrorKind): KeyServiceErrorKind => kind,
): KeyServiceError {
  if (error instanceof KeyServiceError) return error
  const name = memberOf(error, 'name')
  const status = memberOf(memberOf(error, '$metadata'), 'httpStatusCode')
  if (typeof name !== 'string' || !(error instanceof Error)) return brokenOff(error)
  const kind = failureKind('aws_kms', name)
  if (kind === 'throttled' || kind === 'transient') return failed(error, name, kind)
  if (typeof status === 'number' && status >= 500) return failed(error, name, 'transient')
  // Without a status no answer came: the connection broke.
  if (typeof status !== 'number') return brokenOff(error)
  const off = kind === 'clock' ? clocksDiffer(error, clock) : undefined
  if (off === undefined) return failed(error, name, kindOf(errorKind(kind ?? statusKind('aws_kms', status))))
  const { aheadMs } = off
  if (aheadMs === undefined) return failed(error, name, 'transient')
  return new KeyServiceError(`${name}: ${inMinutes(aheadMs)}`, { kind: 'transient', code: name, clockAheadMs: aheadMs })
}

function failed(error: Error, code: string, kind: KeyServiceError['kind']): KeyServiceError {
  return new KeyServiceError(`${code}: ${withoutCredentials(error.message).slice(0, 300)}`, { kind, code })
}

/** AWS accepts five minutes either way. */
const clockDiffersMs = 4 * 60_000

/**
 * A wrong clock has the same code as a wrong secret; the date of the answer shows the difference to the time of the request.
 * Undefined where they agree. The SDK corrects its requests by that date from then on. `aheadMs`: of this machine's clock;
 * absent once it was set right, while the SDK still corrected it.
 */
function clocksDiffer(error: unknown, clock: Clock): { readonly aheadMs?: number } | undefined {
  const response = memberOf(error, '$response')
  const date = memberOf(memberOf(response, 'headers'), 'date')
  const at = typeof date === 'string' ? Date.parse(date) : Number.NaN
  const now = clock.now()
  const requested = (typeof response === 'object' && response && requestTimes.get(response)) || now
  if (!(Math.abs(requested - at) > clockDiffersMs)) return undefined
  return Math.abs(now - at) > clockDiffersMs ? { aheadMs: now - at } : {}
}

function inMinutes(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / 60_000)
  return `this machine's clock is ${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'} the service's`
}

/** Access key ids (AWS, "IAM identifiers"), and texts so long that only tokens and secrets have no blank or hyphen in them. */
function withoutCredentials(text: string): string {
  return text.replaceAll(/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b|[A-Za-z0-9+/=_]{36,}/g, '…')
}
