// One look for foreign uses of a relayer's key: compares the confirmed count of its account with the record, and records a run of nonces that
// no attempt of ours spent. The look records it in one commit, fenced as a step's: a new owner neither repeats nor loses it.

import { mayRecover } from '../domain/decide/lost-history/check-history.ts'
import { type ForeignUse, type FoundRun, foreignRuns, lookedBelow } from '../domain/foreign-use.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Nonce } from '../domain/units.ts'
import { fence, type Ownership } from '../ownership/ownership.ts'
import type { StepContext } from './step-context.ts'
import { writeBeside } from './write-beside.ts'

interface Look {
  /** What the look recorded. Absent: nothing. */
  readonly found?: ForeignUse
  /** More runs were seen: another look finds them. */
  readonly hasMore: boolean
}

/** Nonces of one look. Of a relayer with more that are not final, those behind wait until these are. */
const noncesMax = 1_000

/**
 * Undefined if nothing could be compared: no node has the count, or the history check is still open. `isFirst`: no look of this owner has
 * succeeded before. Rejects with ChainUnavailable, OwnershipLost.
 */
export async function findForeignUse(
  context: StepContext,
  ownership: Ownership,
  relayer: Relayer,
  isFirst: boolean,
): Promise<Look | undefined> {
  const { store } = context
  const { id, address } = relayer
  const from = await store.reads.lookedBelow(id)
  const { requiredConfirmations } = context.policyOf(relayer)
  const chain = context.chainOf(relayer)
  const recordOf = async (first: Nonce, below: Nonce) => ({
    ...{ from: first, below },
    record: await store.reads.nonceRecord(id, first, below),
    known: await store.reads.foreignUses(id, first),
  })
  const settled = from === undefined ? 0 : lookedBelow(await recordOf(from, from + noncesMax))
  const confirmed = await chain.confirmedCount(address, requiredConfirmations, settled)
  if (!confirmed) return undefined
  const { count, isByTwo } = confirmed
  if (from === undefined || count <= settled) {
    // What the account did before is not the relayer's.
    if (from !== settled) await record(context, ownership, from === undefined ? count : settled)
    return { hasMore: false }
  }
  const work = await store.reads.work(id, 1)
  if (!work || mayRecover(work)) return undefined
  const below = Math.min(count, from + noncesMax)
  // Ours are on record before their bytes leave, so the count has no nonce of ours that these rows lack.
  const looked = await recordOf(from, below)
  const [run, ...more] = foreignRuns(looked)
  const found = run && (await explained(context, relayer, run, { isByTwo, isFirst }))
  if (run && !found) return undefined
  const next = lookedBelow(found ? { ...looked, known: [...looked.known, found] } : looked)
  if (found || next > from) await record(context, ownership, next, found)
  return { ...(found && { found }), hasMore: more.length > 0 || (next > from && below < count) }
}

/** The run with its spender. Undefined where a single endpoint counts it, and no bytes prove it. */
async function explained(
  { chainOf, policyOf, clock }: StepContext,
  relayer: Relayer,
  run: FoundRun,
  { isByTwo, isFirst }: { readonly isByTwo: boolean; readonly isFirst: boolean },
): Promise<ForeignUse | undefined> {
  const { requiredConfirmations } = policyOf(relayer)
  const spender = run.spender ?? (await chainOf(relayer).spending(relayer.address, run.first, requiredConfirmations))
  if (!spender && !isByTwo) return undefined
  return { ...run, ...(spender && { spender }), foundAt: clock.now(), mayBeLost: isFirst }
}

async function record({ store }: StepContext, ownership: Ownership, below: Nonce, found?: ForeignUse): Promise<void> {
  await writeBeside(ownership, () =>
    store.commit(async (session) => {
      await fence(session, ownership)
      await session.recordForeignLook(ownership.relayer, { lookedBelow: below, ...(found && { found }) })
    }, ownership.relayer),
  )
}
