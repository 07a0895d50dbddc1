// Runs a loop for every relayer of this process, from its acquisition until its release.
import type { RelayerId } from '../domain/ids.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Ownership, Ownerships } from '../ownership/ownership.ts'
import { type Advancing, advance } from './loop.ts'
import { reportingAccountsInUse } from './report-account-in-use.ts'
import type { StepContext } from './step-context.ts'
import { writesEnded } from './write-beside.ts'

export interface Reconciling extends AsyncDisposable {
  owns(relayer: RelayerId): boolean
  /** Undefined: this process does not advance the relayer. */
  ownershipOf(relayer: RelayerId): Ownership | undefined
}

/** Resolves when every relayer that can be acquired now is acquired. Disposing lets the steps under way finish. */
export async function reconcile(context: StepContext, ownerships: Ownerships): Promise<Reconciling> {
  const loops = new Map<RelayerId, { readonly ownership: Ownership; readonly loop: Advancing }>()

  /** Relayers that are released only to be acquired anew: their reports stay, above all the failure. */
  const renewing = new Set<RelayerId>()

  async function renew(ownership: Ownership): Promise<void> {
    const { relayer } = ownership
    const outage = loggingOutage(context.logger, {
      began: 'a relayer could not be acquired anew; trying again',
      over: 'a relayer is acquired anew',
      facts: { relayer_id: relayer },
    })
    renewing.add(relayer)
    while (renewing.has(relayer)) {
      try {
        await ownerships.renew(ownership)
        renewing.delete(relayer)
        outage.worked()
      } catch (error) {
        outage.failed(error)
        await context.clock.sleep(1_000)
      }
    }
  }

  function giveUp(ownership: Ownership): void {
    ownerships.yield(ownership).catch((error: unknown) => {
      context.logger.error({ err: error, relayer_id: ownership.relayer }, 'a relayer could not be given up')
    })
  }

  await ownerships.start({
    acquired(ownership) {
      const loop = advance(context, ownership, { renew: (ended) => void renew(ended), yield: giveUp })
      loops.set(ownership.relayer, { ownership, loop })
      context.observer.owned(loops.size)
    },
    accountsInUse: reportingAccountsInUse(context),
    wake: (relayer, cause) => loops.get(relayer)?.loop.wake(cause),
    wakeIfIdle: (relayer) => loops.get(relayer)?.loop.wakeIfIdle(),
    async released(ownership) {
      const { loop } = loops.get(ownership.relayer) ?? {}
      loops.delete(ownership.relayer)
      context.observer.owned(loops.size)
      await loop?.stopped
      await writesEnded(ownership)
      if (!renewing.has(ownership.relayer)) context.observer.released(ownership.relayer)
    },
  })
  return {
    owns: (relayer) => loops.has(relayer),
    ownershipOf: (relayer) => loops.get(relayer)?.ownership,
    [Symbol.asyncDispose]: () => ownerships.stop(),
  }
}
