// The accounts of the relayers that one session advances. Two services of one database may have the same key, each in a schema of
// its own: their slots differ, and both would use the account's nonces. So a replica locks the account after the slot and before it
// raises the epoch. Without that lock the relayer waits.
import { type Condition, runbookOf } from '../domain/condition.ts'
import type { RelayerId } from '../domain/ids.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import type { AccountLocks } from '../store/locks.ts'

export interface HeldAccounts {
  /** Locks the accounts of relayers. Never rejects. */
  take(relayers: readonly RelayerId[]): Promise<TakenAccounts>
  /** Releases the others. Rejects when the session is lost. */
  keep(isKept: (relayer: RelayerId) => boolean): Promise<void>
}

interface TakenAccounts {
  readonly own: readonly RelayerId[]
  /** Another service has their accounts. */
  readonly inUse: readonly RelayerId[]
}

export function holdAccounts(locks: AccountLocks, logger: Logger): HeldAccounts {
  const held = new Set<RelayerId>()
  const log = takenLog(logger)
  const outage = loggingOutage(logger, {
    began: 'the accounts of relayers can’t be locked, so these relayers stand still; trying again',
    over: 'the accounts of relayers can be locked again',
    level: 'warn',
  })
  return {
    async take(relayers) {
      try {
        const missing = relayers.filter((relayer) => !held.has(relayer))
        if (missing.length > 0) for (const relayer of await locks.lock(missing)) held.add(relayer)
        outage.worked()
      } catch (error) {
        outage.failed(error)
        return { own: relayers.filter((relayer) => held.has(relayer)), inUse: [] }
      }
      log(relayers, held)
      return {
        own: relayers.filter((relayer) => held.has(relayer)),
        inUse: relayers.filter((relayer) => !held.has(relayer)),
      }
    },
    async keep(isKept) {
      const released = [...held].filter((relayer) => !isKept(relayer))
      if (released.length === 0) return
      await locks.unlock(released)
      for (const relayer of released) held.delete(relayer)
    },
  }
}

const condition: Condition = 'account_in_use'

/** Logs each relayer once, until it is acquired. */
function takenLog(logger: Logger): (tried: readonly RelayerId[], held: ReadonlySet<RelayerId>) => void {
  const waiting = new Set<RelayerId>()
  return (tried, held) => {
    for (const relayer of tried) {
      if (held.has(relayer)) {
        if (waiting.delete(relayer))
          logger.info({ relayer_id: relayer, condition }, 'the account of this relayer is free again')
      } else if (!waiting.has(relayer)) {
        waiting.add(relayer)
        logger.warn(
          { relayer_id: relayer, condition, runbook: runbookOf(condition) },
          'another service of this database advances a relayer with the same key on the same chain: this one waits; see "Locks" in docs/scale.md',
        )
      }
    }
  }
}
