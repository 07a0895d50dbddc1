// Signs with a private key of Turnkey. Each request carries a stamp: a P-256 signature over its body.
import { createECDH, createPrivateKey, type KeyObject, sign as signWith } from 'node:crypto'
import type { Hash, Hex } from '../domain/ids.ts'
import { memberOf } from '../ops/member.ts'
import { SignerError } from '../ops/operator-error.ts'
import {
  asPending,
  exchange,
  malformed,
  permanent,
  refusedBy,
  refusesCredentials,
  type ServiceAccess,
  type ServiceAnswer,
  ServiceRefusal,
  withFreshCredentials,
} from './exchange.ts'
import { failureKind } from './failure-table.ts'
import { type KeyService, KeyServiceError } from './key-service.ts'
import type { TurnkeySettings } from './settings.ts'

const origin = 'https://api.turnkey.com'
/** Per sub-organization. */
const quota = { perSecond: 10, concurrency: 10 }
/** The pause between reads of an activity that is under way when the request returns. */
const pollMs = 100
/** One try waits so long for an activity: less than a try may take, so that it ends as pending and not as failed. */
const awaitedMs = 1_500
/** The most activities that are remembered: the oldest are forgotten first. */
const activitiesMax = 1_000

/** Throws SignerError for an API key that is none. */
export function openTurnkey(settings: TurnkeySettings & { readonly id: string }, access: ServiceAccess): KeyService {
  const { id, organizationId, privateKeyId, publicKey, apiPublicKey } = settings
  const { clock } = access
  const apiKey = stampKey(id, settings.apiPrivateKey.reveal(), apiPublicKey)

  function call(path: string, content: () => object, signal: AbortSignal): Promise<ServiceAnswer> {
    return withFreshCredentials(async () => {
      // The time of the request is in its body, so a second try has a new stamp.
      const body = JSON.stringify(content())
      const headers = { 'x-stamp': stamp(body, apiKey, apiPublicKey) }
      const url = `${origin}/public/v1/${path}`
      const answer = await exchange({ url, headers, body }, access, signal)
      if (answer.status !== 200) throw refusedBy(answer, codeOf(answer.body), clock)
      return answer
    }, refusesCredentials('turnkey'))
  }

  const underWay = rememberActivities()

  async function read(activityId: string, signal: AbortSignal): Promise<unknown> {
    const { body } = await call('query/get_activity', () => ({ organizationId, activityId }), signal)
    return memberOf(body, 'activity')
  }

  /** An activity that the service has deleted never ends: the next try submits another. */
  async function readOrForget(digest: Hash, activityId: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await read(activityId, signal)
    } catch (error) {
      if (error instanceof ServiceRefusal && error.status === 404) underWay.delete(digest)
      throw error
    }
  }

  async function finished(activity: unknown, signal: AbortSignal): Promise<unknown> {
    let current = activity
    const untilMs = clock.elapsed() + awaitedMs
    while (isPending(memberOf(current, 'status'))) {
      await clock.sleep(pollMs, signal)
      if (signal.aborted || clock.elapsed() >= untilMs) throw stillPending(idOf(current))
      current = await read(String(idOf(current)), signal).catch((error: unknown) => {
        throw signal.aborted ? stillPending(idOf(current)) : error
      })
    }
    return current
  }

  async function submit(digest: Hash, signal: AbortSignal): Promise<unknown> {
    const request = () => ({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      timestampMs: String(clock.now()),
      organizationId,
      parameters: {
        signWith: privateKeyId,
        payload: digest.slice(2),
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_NO_OP',
      },
    })
    const { body } = await call('submit/sign_raw_payload', request, signal)
    const activity = memberOf(body, 'activity')
    underWay.set(digest, activity)
    return activity
  }

  return {
    quotaDomain: `turnkey:${organizationId}`,
    quota,
    canProbe: true,
    // The configuration pins the key: reading it would need one more permission, and the first signature proves it.
    open: async () => ({ publicKey, keyVersion: privateKeyId }),
    async sign({ digest }, signal) {
      const known = underWay.get(digest)
      const begun = known === undefined ? await submit(digest, signal) : await readOrForget(digest, known, signal)
      const activity = await finished(begun, signal)
      if (!awaitsPeople(memberOf(activity, 'status'))) underWay.delete(digest)
      const bytes = signatureOf(activity)
      const requestId = idOf(activity)
      return { encoding: 'compact', bytes, ...(requestId !== undefined && { requestId }) }
    },
  }
}

interface Activities {
  get(digest: Hash): string | undefined
  set(digest: Hash, activity: unknown): void
  delete(digest: Hash): void
}

/**
 * The signing activities by digest, until each has ended. Another try continues one: a second one might need the approval of
 * people once more.
 */
function rememberActivities(): Activities {
  const known = new Map<Hash, string>()
  return {
    get: (digest) => known.get(digest),
    set(digest, activity) {
      const activityId = idOf(activity)
      if (activityId === undefined) return
      known.set(digest, activityId)
      for (const oldest of known.keys()) if (known.size > activitiesMax) known.delete(oldest)
    },
    delete: (digest) => void known.delete(digest),
  }
}

function isPending(status: unknown): boolean {
  return typeof status === 'string' && failureKind('turnkey', status) === 'pending'
}

function awaitsPeople(status: unknown): status is string {
  return typeof status === 'string' && failureKind('turnkey', status) === 'approval'
}

/** Shown to people and sent back: nothing but the form of an id. */
function idOf(activity: unknown): string | undefined {
  const id = memberOf(activity, 'id')
  return typeof id === 'string' && /^[\w-]{1,80}$/.test(id) ? id : undefined
}

function stillPending(activityId: string | undefined): KeyServiceError {
  return asPending(`activity ${activityId} has not ended yet`, 'ACTIVITY_STATUS_PENDING', activityId)
}

function signatureOf(activity: unknown): Hex {
  const status = memberOf(activity, 'status')
  if (awaitsPeople(status)) {
    const activityId = idOf(activity)
    const fix = 'waits for the approval of people; approve it, or let this API user sign alone'
    throw new KeyServiceError(`activity ${activityId} ${fix}`, {
      ...{ kind: 'approval', code: status },
      ...(activityId !== undefined && { activity: activityId }),
    })
  }
  if (status !== 'ACTIVITY_STATUS_COMPLETED') {
    const code = typeof status === 'string' ? status : 'MALFORMED_ANSWER'
    throw permanent(`the activity ended as ${code}; look it up in Turnkey's console`, code)
  }
  const result = memberOf(memberOf(activity, 'result'), 'signRawPayloadResult')
  const word = (name: string) => {
    const value = memberOf(result, name)
    if (typeof value !== 'string' || !/^(0x)?[0-9a-f]{1,64}$/i.test(value)) throw malformed(name)
    return value.replace(/^0x/, '').padStart(64, '0')
  }
  return `0x${word('r')}${word('s')}`
}

/** The error code in the details of a gRPC status, or beside them. */
function codeOf(body: unknown): unknown {
  const details = memberOf(body, 'details')
  const coded = Array.isArray(details) ? details.map((each) => memberOf(each, 'turnkeyErrorCode')) : []
  return memberOf(body, 'turnkeyErrorCode') ?? coded.find((code) => code !== undefined)
}

function stamp(body: string, key: KeyObject, publicKey: string): string {
  const signature = signWith('sha256', Buffer.from(body), key).toString('hex')
  return Buffer.from(JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature })).toString(
    'base64url',
  )
}

/** The private key of the API: 32 bytes in hex, of the curve P-256. */
function stampKey(id: string, hex: string, publicKey: string): KeyObject {
  const fault = (what: string) => new SignerError(`signer "${id}": ${what}; create an API key in Turnkey's console`)
  if (!/^(0x)?[0-9a-f]{64}$/i.test(hex)) throw fault('its api_private_key is not 64 hexadecimal digits')
  try {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(hex.replace(/^0x/, ''), 'hex')
    if (pair.getPublicKey('hex', 'compressed') !== publicKey.toLowerCase()) throw new Error('of another key')
    const point = pair.getPublicKey()
    const [x = '', y = '', d = ''] = [
      point.subarray(1, 33),
      point.subarray(33),
      Buffer.from(hex.slice(-64), 'hex'),
    ].map((word) => word.toString('base64url'))
    return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d, x, y }, format: 'jwk' })
  } catch {
    // The error omits the cause, which may quote the key.
    throw fault('its api_public_key and api_private_key are no pair of P-256')
  }
}
