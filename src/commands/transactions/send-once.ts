// Sends under an idempotency key: one commit stores the key and the transactions, so a retry finds both or neither.
import { type Claim, checkClaim } from '../../domain/claim.ts'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Session } from '../../store/store.ts'
import type { CommandContext } from '../context.ts'

export interface SentOnce {
  /** The transactions as they are now, in the order of the request. */
  readonly transactions: readonly Transaction[]
  /** An earlier request made them. */
  readonly replayed: boolean
}

/**
 * Runs `make`, which stores transactions with these ids, created now, in the session's unit, unless the key was used before. A
 * refused request leaves its key free. Throws IDEMPOTENCY_KEY_REUSED, TRANSACTION_GONE, and the errors of `make`.
 */
export async function sendOnce(
  { store }: Pick<CommandContext, 'store'>,
  relayerId: RelayerId,
  claim: Claim,
  { ids, now }: { readonly ids: readonly TransactionId[]; readonly now: TimestampMs },
  make: (session: Session) => Promise<readonly Transaction[]>,
): Promise<SentOnce> {
  const outcome = await store.commit(
    async (session) => {
      const claimed = await session.claim(claim, ids, now)
      if (!claimed) return { made: await make(session) }
      checkClaim(claim, claimed)
      return { before: claimed.ids }
    },
    relayerId,
    { claims: [claim], ...(ids.length > 1 && { long: true }) },
  )
  if (outcome.made) return { transactions: outcome.made, replayed: false }
  const found = await Promise.all(outcome.before.map((id) => store.reads.transaction(relayerId, id)))
  const transactions = found.filter((each) => each !== undefined)
  if (transactions.length < found.length) {
    throw goneUnder(
      claim,
      outcome.before.filter((_, index) => !found[index]),
    )
  }
  return { transactions, replayed: true }
}

/** Retention removed them. The key stays, so that no retry sends them again. */
function goneUnder({ key }: Claim, gone: readonly TransactionId[]): RescindError {
  const [first] = gone
  const which =
    gone.length === 1
      ? `transaction ${first}, which has`
      : `${gone.length} transactions, ${first} and others, which have`
  return new RescindError(
    'TRANSACTION_GONE',
    `Idempotency-Key: "${key}" sent ${which} ended and ${gone.length === 1 ? 'is' : 'are'} no longer kept; nothing is sent again, and a new send needs a new key`,
  )
}
