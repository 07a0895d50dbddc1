// Records in the transactions that no node answers. Without an answer nothing is decided; after a while clients see
// why. The first observation that succeeds clears it.
import { apply } from '../domain/decide/apply.ts'
import { isChange } from '../domain/decide/plan/decision.ts'
import { explainUnreachable, withoutRepeats } from '../domain/decide/waits/explain-waits.ts'
import { OwnershipLost, StaleWrite } from '../domain/errors.ts'
import { fence, type Ownership } from '../ownership/ownership.ts'
import type { StepContext } from './step-context.ts'

/** A change by a client or by another owner makes this record needless, so such a refusal is ignored. */
export async function recordUnreachable(
  { store, clock }: StepContext,
  ownership: Ownership,
  why: string,
): Promise<void> {
  const work = await store.reads.work(ownership.relayer)
  const changes = work ? withoutRepeats(explainUnreachable(work, why)).filter(isChange) : []
  if (changes.length === 0) return
  const now = clock.now()
  try {
    await store.commit(async (session) => {
      await fence(session, ownership)
      for (const change of changes) {
        await session.saveTransaction(change.transaction, apply(change, change.transaction, undefined, now), now)
      }
    }, ownership.relayer)
  } catch (error) {
    if (!(error instanceof StaleWrite || error instanceof OwnershipLost)) throw error
  }
}
