// Looks for foreign uses of the keys of the relayers that this process advances. A look costs one call, and no step waits for it.
import { ChainUnavailable } from '../chain/chain.ts'
import { type HeldCondition, runbookOf } from '../domain/condition.ts'
import { OwnershipLost } from '../domain/errors.ts'
import { foreignUse, foreignUseInWords } from '../domain/foreign-use.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { findForeignUse } from './find-foreign-use.ts'
import type { StepContext } from './step-context.ts'

interface LastObservation {
  readonly isIdle: boolean
  readonly found: readonly { readonly condition: HeldCondition }[]
}

interface Watching {
  readonly context: StepContext
  readonly relayers: () => readonly Relayer[]
  /** Undefined: this process does not advance the relayer. */
  readonly ownershipOf: (relayer: RelayerId) => Ownership | undefined
  /** What the last observation of each relayer found. Absent: each may have open transactions. */
  readonly reports?: { get(relayer: RelayerId): LastObservation | undefined }
}

/** Until the next look at an idle relayer, at one with open transactions, at one whose transaction lost its nonce, and after a failure. */
const pausesMs = { idle: 300_000, open: 60_000, displaced: 5_000, failed: 30_000 }
/** An acknowledgment ends the condition within this time. */
const heldMs = 5_000
/** Looks at once: they share calls. */
const atOnce = 100

/** An owner's memory of its looks. */
interface Looks {
  /** By elapsed time, as is `readAt`. Absent: the next one is due at once. */
  lookedAt?: number
  readAt: number
  hasSucceeded: boolean
  /** The last one could compare nothing. */
  hasFailed: boolean
  isHeld: boolean
}

export function watchForeignUse({ context, relayers, ownershipOf, reports }: Watching): AsyncDisposable {
  const { store, clock, logger, observer } = context
  const looks = new WeakMap<Ownership, Looks>()

  async function readHeld(relayer: Relayer, seen: Looks): Promise<void> {
    const open = await store.reads.openForeignUses(relayer.id)
    seen.readAt = clock.elapsed()
    if (seen.isHeld !== open.length > 0) observer.foreignUse(relayer, { isHeld: open.length > 0, nonces: 0 })
    seen.isHeld = open.length > 0
  }

  async function lookAt(relayer: Relayer, ownership: Ownership, seen: Looks): Promise<void> {
    seen.hasFailed = true
    const look = await findForeignUse(context, ownership, relayer, !seen.hasSucceeded)
    if (!look) return
    seen.hasFailed = false
    seen.hasSucceeded = !look.hasMore || seen.hasSucceeded
    if (look.hasMore) delete seen.lookedAt
    const { found } = look
    if (!found) return
    const facts = { relayer_id: relayer.id, ...found, runbook: runbookOf(foreignUse) }
    logger.warn(facts, `the key of a relayer was used elsewhere: ${foreignUseInWords(found)}`)
    seen.isHeld = true
    observer.foreignUse(relayer, { isHeld: true, nonces: found.last - found.first + 1 })
  }

  async function watchOne(relayer: Relayer, ownership: Ownership): Promise<void> {
    const known = looks.get(ownership)
    const seen: Looks = known ?? { readAt: clock.elapsed(), hasSucceeded: false, hasFailed: false, isHeld: false }
    looks.set(ownership, seen)
    const now = clock.elapsed()
    try {
      if (!known || (seen.isHeld && now - seen.readAt >= heldMs)) await readHeld(relayer, seen)
      if (seen.lookedAt !== undefined && now - seen.lookedAt < pauseOf(relayer.id, seen)) return
      seen.lookedAt = now
      await lookAt(relayer, ownership, seen)
    } catch (error) {
      // The next look finds the same, and so does another owner.
      if (!(error instanceof ChainUnavailable || error instanceof OwnershipLost)) throw error
    }
  }

  function pauseOf(id: RelayerId, { hasFailed }: Looks): number {
    if (hasFailed) return pausesMs.failed
    const last = reports?.get(id)
    if (last?.found.some(({ condition }) => condition === 'nonce_taken')) return pausesMs.displaced
    return last?.isIdle ? pausesMs.idle : pausesMs.open
  }

  async function round(signal: AbortSignal): Promise<void> {
    const ours = relayers().flatMap((relayer) => {
      const ownership = ownershipOf(relayer.id)
      return ownership ? [{ relayer, ownership }] : []
    })
    for (let first = 0; first < ours.length && !signal.aborted; first += atOnce) {
      const some = ours.slice(first, first + atOnce)
      await Promise.all(some.map(({ relayer, ownership }) => watchOne(relayer, ownership)))
    }
  }

  const lines = {
    began: 'foreign uses of keys could not be looked for; trying again',
    over: 'foreign uses of keys are looked for again',
  }
  return inRounds({ clock, logger, everyMs: 1_000, lines, round })
}
