// Four eyes: one key sets the payload of a send, and another key approves exactly that payload before it gets a nonce.
import { RescindError } from './errors.ts'
import { demandsSecondKey, type FourEyes, unapprovedGasMax } from './hold.ts'
import type { ApiKeyId, Hash } from './ids.ts'
import { payloadDigest } from './payload-digest.ts'
import type { Relayer } from './relayer.ts'
import { isInPhase, payloadAttempts, revisionOf, type Transaction } from './transaction.ts'
import type { Gas, TimestampMs } from './units.ts'

/** A new payload, set by `by`: it forgets the release of the old one. */
export function setUnderFourEyes(
  { fourEyes, createdBy }: Transaction,
  { by, since }: { readonly by?: ApiKeyId; readonly since: TimestampMs },
): FourEyes {
  const keys = [...(fourEyes?.setBy ?? [createdBy]), by].filter((each) => each !== undefined)
  return { setBy: [...new Set(keys)], since }
}

export interface ReleaseRequest {
  readonly by?: ApiKeyId
  readonly digest?: Hash
}

/** A digest is compared wherever a client sends one. Undefined: it is that of the current payload, or the client sent none. */
export function refusalOfDigest(transaction: Transaction, { digest }: ReleaseRequest): RescindError | undefined {
  if (digest === undefined || digest === payloadDigest(transaction)) return undefined
  return new RescindError(
    'PAYLOAD_DIGEST_DIFFERS',
    `payload_digest: is not that of the current payload of transaction ${transaction.id}; read its hold again, compare the payload, and send the digest shown there`,
  )
}

/** `by` releases a payload that it did not set. Throws PAYLOAD_DIGEST_MISSING and SECOND_KEY_REQUIRED. */
export function approved(
  transaction: Transaction,
  fourEyes: FourEyes,
  { by, digest }: ReleaseRequest,
  at: TimestampMs,
): FourEyes {
  const { id } = transaction
  if (digest === undefined) {
    throw new RescindError(
      'PAYLOAD_DIGEST_MISSING',
      `payload_digest: is missing, and transaction ${id} is under four eyes; read its hold, compare the payload, and send the digest shown there`,
    )
  }
  if (fourEyes.setBy.length === 0) {
    const text = `transaction ${id} is under four eyes, and the key that set its payload is not on record; cancel it and send it again`
    throw new RescindError('SECOND_KEY_REQUIRED', text)
  }
  if (by === undefined || fourEyes.setBy.includes(by)) {
    const text = `transaction ${id} is under four eyes, and key "${by}" set a payload of it; release it with another key`
    throw new RescindError('SECOND_KEY_REQUIRED', text)
  }
  return { ...fourEyes, released: { by, at, digest, revision: revisionOf(transaction) } }
}

/** Whether it may have a nonce: it is not under four eyes, or a second key has released its current payload. */
export function isApproved(transaction: Transaction): boolean {
  const { fourEyes } = transaction
  if (!fourEyes) return true
  const { setBy, released } = fourEyes
  return released?.revision === revisionOf(transaction) && !setBy.includes(released.by)
}

/** The most gas that the estimate of this payload may lead to without a second key. Infinity: it has one, or needs none. */
export function gasMaxOf({ policies }: Pick<Relayer, 'policies'>, { payload, origin, fourEyes }: Transaction): Gas {
  // What the policies would hold now was queued before they did.
  const isBound = policies.fourEyes && origin === 'client' && !fourEyes && !demandsSecondKey(policies, payload)
  return isBound ? unapprovedGasMax : Number.POSITIVE_INFINITY
}

/** Whether the chain shows that a lost history sent it: the release was lost with the history. */
export function isRecovered(transaction: Transaction): boolean {
  if (!isInPhase(transaction, 'inFlight', 'mined', 'final')) return false
  return payloadAttempts(transaction.lifecycle.attempts).some(({ recovered }) => recovered === true)
}

/**
 * A signed permit moves tokens, on any chain of the account, and a message may be one. `ofAccount`: every relayer with its address.
 * Undefined: the relayer may sign it. The key of the request may not see the others, so the refusal names none of them.
 */
export function refusalOfStatement(
  { id }: Pick<Relayer, 'id'>,
  ofAccount: readonly Pick<Relayer, 'policies'>[],
): RescindError | undefined {
  if (!ofAccount.some(({ policies }) => policies.fourEyes)) return undefined
  const text = `the account of relayer "${id}" is under four eyes (four_eyes) and signs no messages: a signed permit moves tokens; send a transaction`
  return new RescindError('POLICY_VIOLATION', text)
}

/** The groups of relayers with one address of which some are under four eyes, and others are not. */
export function partlyUnderFourEyes<R extends Pick<Relayer, 'address' | 'policies'>>(
  relayers: readonly R[],
): readonly (readonly R[])[] {
  const isUnder = ({ policies }: R) => policies.fourEyes === true
  const groups = Map.groupBy(relayers, ({ address }) => address)
  return [...groups.values()].filter((group) => group.some(isUnder) && !group.every(isUnder))
}
