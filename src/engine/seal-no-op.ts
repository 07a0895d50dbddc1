// Seals the signed bytes of a no-op for the database, and opens them for the race that needs them.
import { type Attempt, bytesOf } from '../domain/attempt.ts'
import type { Decision } from '../domain/decide/plan/decision.ts'
import type { RelayerId } from '../domain/ids.ts'
import { placeOfNoOp } from '../domain/no-op.ts'
import type { BlockNumber, TimestampMs } from '../domain/units.ts'
import type { Logger } from '../ops/logger.ts'
import type { Vault } from '../ops/vault.ts'

type Bytes = Required<Pick<Attempt, 'raw' | 'signature'>>

export function sealNoOp(vault: Vault, relayerId: RelayerId, attempt: Attempt): string {
  const bytes: Bytes = { raw: bytesOf(attempt), signature: attempt.signature }
  return vault.seal(JSON.stringify(bytes), placeOfNoOp(relayerId, attempt.hash))
}

/** The attempt of the race. Undefined if the bytes do not open: the row was changed, so it counts for nothing. */
export function openNoOp(
  { vault, logger }: { vault: Vault; logger: Logger },
  relayerId: RelayerId,
  { transaction, noOp }: Extract<Decision, { do: 'usePresigned' }>,
  { head, now }: { head: BlockNumber; now: TimestampMs },
): Attempt | undefined {
  const { hash, nonce, fees, gasLimit, sealed } = noOp
  const facts = { relayer_id: relayerId, transaction_id: transaction.id, nonce, hash }
  try {
    // The vault authenticates it: it is what sealNoOp wrote.
    const { raw, signature }: Bytes = JSON.parse(vault.open(sealed, placeOfNoOp(relayerId, hash)).reveal())
    logger.info(facts, 'the signer does not sign, so a pre-signed no-op is used')
    return {
      ...{ hash, transactionId: transaction.id, nonce, kind: 'cancel', fees, gasLimit, raw, signature },
      ...{ recordedAt: now, recordedAtBlock: head, broadcast: { state: 'sending' }, presigned: true },
    }
  } catch (err) {
    logger.error({ ...facts, err }, 'a pre-signed no-op does not open, and is deleted')
    return undefined
  }
}
