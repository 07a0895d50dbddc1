// Turnkey's API as its documentation describes it: it verifies the stamp over each body.
import { createPublicKey, ECDH, randomUUID, verify } from 'node:crypto'
import { type FakeReply, type FakeRequest, type FakeService, startFake } from './fake-service.ts'
import type { ServedKey } from './served-key.ts'

export interface FakeTurnkey extends FakeService {
  /** Ids of private keys. */
  readonly keys: Map<string, ServedKey>
  /** Compressed public keys of P-256, in hex. */
  readonly apiKeys: Set<string>
  /** How the next activities end, and for how many questions or how long they stay pending. */
  readonly next: { status?: string; pending?: number; pendingMs?: number }
  /** Ends every activity that waits for approval: it has signed. */
  approveAll(): void
}

export const turnkeyOrganization = '7f3c1f5a-0000-4000-8000-000000000001'

export async function startFakeTurnkey(): Promise<FakeTurnkey> {
  const pending = new Map<string, Pending>()
  const state: State = {
    keys: new Map(),
    apiKeys: new Set(),
    next: {},
    approveAll() {
      for (const activity of pending.values()) if (activity.approved) activity.done = activity.approved
    },
  }
  const fake = await startFake((request) => answer(request, state, pending))
  return Object.assign(fake, state)
}

export function turnkeyFailure(status: number, turnkeyErrorCode: string): FakeReply {
  const details = [{ '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode }]
  return { status, body: { code: 16, message: 'as ordered', details } }
}

type State = Omit<FakeTurnkey, keyof FakeService>

interface Pending {
  /** So many further questions are answered with "pending". */
  left: number
  readonly untilMs: number
  done: object
  /** How it ends once people have approved it. */
  readonly approved?: object
}

interface Wanted {
  readonly type?: string
  readonly timestampMs?: string
  readonly organizationId?: string
  readonly activityId?: string
  readonly parameters?: {
    readonly signWith: string
    readonly payload: string
    readonly encoding: string
    readonly hashFunction: string
  }
}

async function answer(request: FakeRequest, state: State, pending: Map<string, Pending>): Promise<FakeReply> {
  if (!isStamped(request, state.apiKeys)) return turnkeyFailure(401, 'API_KEY_INVALID')
  const wanted = JSON.parse(request.body.toString()) as Wanted
  if (wanted.organizationId !== turnkeyOrganization) return turnkeyFailure(403, 'ORGANIZATION_MISMATCH')
  if (request.path === '/public/v1/query/get_activity') {
    const activity = pending.get(wanted.activityId ?? '')
    if (!activity) return turnkeyFailure(404, 'ACTIVITY_NOT_FOUND')
    activity.left -= 1
    const open = { id: wanted.activityId, status: 'ACTIVITY_STATUS_PENDING' }
    const isOpen = activity.left > 0 || performance.now() < activity.untilMs
    return { status: 200, body: { activity: isOpen ? open : activity.done } }
  }
  const { parameters, type, timestampMs } = wanted
  const payload = Buffer.from(parameters?.payload ?? '', 'hex')
  const key = state.keys.get(parameters?.signWith ?? '')
  if (request.path !== '/public/v1/submit/sign_raw_payload' || type !== 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2') {
    return turnkeyFailure(404, 'NOT_FOUND')
  }
  if (Math.abs(Date.now() - Number(timestampMs)) > 60_000) return turnkeyFailure(400, 'BAD_TIMESTAMP')
  if (!key) return turnkeyFailure(404, 'PRIVATE_KEY_NOT_FOUND')
  const isDigest = parameters?.hashFunction === 'HASH_FUNCTION_NO_OP' && payload.length === 32
  if (!isDigest || parameters?.encoding !== 'PAYLOAD_ENCODING_HEXADECIMAL') return turnkeyFailure(400, 'BAD_REQUEST')
  const id = randomUUID()
  const { status = 'ACTIVITY_STATUS_COMPLETED', pending: left = 0, pendingMs = 0 } = state.next
  const untilMs = performance.now() + pendingMs
  const signature = (await key.signCompact(payload)).toString('hex')
  const [r, s] = [signature.slice(0, 64), signature.slice(64)]
  const completed = {
    ...{ id, status: 'ACTIVITY_STATUS_COMPLETED', result: { signRawPayloadResult: { r, s, v: '00' } } },
  }
  const done = status === completed.status ? completed : { id, status, result: {} }
  if (status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') pending.set(id, { left: 0, untilMs, done, approved: completed })
  if (left === 0 && pendingMs === 0) return { status: 200, body: { activity: done } }
  pending.set(id, { left, untilMs, done })
  return { status: 200, body: { activity: { id, status: 'ACTIVITY_STATUS_PENDING' } } }
}

/** X-Stamp: a P-256 signature in DER over the bytes of the body. */
function isStamped({ headers, body }: FakeRequest, apiKeys: ReadonlySet<string>): boolean {
  const text = Buffer.from(String(headers['x-stamp']), 'base64url').toString()
  if (!text.startsWith('{')) return false
  const stamp = JSON.parse(text) as { publicKey: string; scheme: string; signature: string }
  if (stamp.scheme !== 'SIGNATURE_SCHEME_TK_API_P256' || !apiKeys.has(stamp.publicKey)) return false
  const point = Buffer.from(String(ECDH.convertKey(stamp.publicKey, 'prime256v1', 'hex', 'hex', 'uncompressed')), 'hex')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  return verify('sha256', body, key, Buffer.from(stamp.signature, 'hex'))
}
