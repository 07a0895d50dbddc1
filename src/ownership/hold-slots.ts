// The slots that one session holds: takes and gives up what is chosen, in an order in which nothing has two owners.
import type { RelayerId } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import { loggingOutage, type Outage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import { waitBriefly } from '../ops/within.ts'
import type { LockSession, Slot, Survey } from '../store/locks.ts'
import { bySlot, chooseSlots, keepOrphans, nothingSeen, slotOf } from './choose-slots.ts'
import { type HeldAccounts, holdAccounts } from './hold-accounts.ts'
import type { Holdings } from './holdings.ts'

export interface LockedSlots {
  /** Whether the lock of this relayer is held, and is to stay. */
  covers(relayer: RelayerId): boolean
  /** Takes and gives up what the shares want, and sees to it that it is acquired and released. Rejects when the session fails. */
  look(relayers: readonly RelayerId[]): Promise<void>
  /** Gives everything up, each as soon as its last step is over. Never rejects. */
  leave(): Promise<void>
}

/** A last step takes longer than that only where a node hangs. Others go on then: for them it is as after a crash. */
const lastStepMs = 3_000
/** Relayers acquired at once. */
const acquiredAtOnce = 64

interface SlotsContext {
  readonly session: LockSession
  readonly holdings: Holdings
  readonly clock: Clock
  readonly logger: Logger
  /** Locks were given up: others may want them. */
  readonly onFreed: () => void
  /** Called after each round: another service has the accounts of exactly these. */
  readonly onInUse: (relayers: readonly RelayerId[]) => void
}

export function holdSlots({ session, holdings, clock, logger, onFreed, onInUse }: SlotsContext): LockedSlots {
  const locked = new Set<Slot>()
  const leaving = new Map<Slot, Promise<void>>()
  const logSurvey = surveyLog(logger)
  const accounts = session.accounts && holdAccounts(session.accounts, logger)
  let memory = nothingSeen
  let wanted: readonly RelayerId[] = []
  let acquiring: Promise<void> | undefined
  const acquire = acquirer(holdings, logger)

  async function giveUp(slot: Slot, relayers: readonly RelayerId[]): Promise<void> {
    logger.debug({ slot }, 'a lock will be given up after the last steps under it')
    try {
      await waitBriefly(clock, lastStepMs, () => Promise.all(relayers.map(holdings.release)))
      if (!session.isAlive()) return
      // First, as the slot's next holder needs the accounts at once.
      await accounts?.keep((relayer) => slotOf(relayer) !== slot)
      await session.unlock([slot])
      locked.delete(slot)
      onFreed()
    } catch (error) {
      // The session is over, and with it the lock; or it is not, and the next look finds the slot here as before.
      logger.debug({ err: error, slot }, 'a lock was not given up')
    } finally {
      leaving.delete(slot)
    }
  }

  function beginToLeave(slots: Iterable<Slot>): void {
    const relayers = bySlot(holdings.relayers())
    for (const slot of slots) if (!leaving.has(slot)) leaving.set(slot, giveUp(slot, relayers.get(slot) ?? []))
  }

  function acquireAll(): Promise<void> {
    const isMissing = (relayer: RelayerId) => covers(relayer) && !holdings.has(relayer)
    return acquireInRounds({ session, accounts, acquire, onInUse, missing: () => wanted.filter(isMissing) })
  }

  const covers = (relayer: RelayerId) => {
    const slot = slotOf(relayer)
    return locked.has(slot) && !leaving.has(slot)
  }

  /** Another service may have the accounts of relayers that this one no longer advances. */
  async function releaseUnwanted(): Promise<void> {
    if (!accounts) return
    const kept = new Set(wanted)
    await accounts.keep((relayer) => kept.has(relayer) || holdings.has(relayer))
  }

  return {
    covers,
    async look(relayers) {
      wanted = relayers
      const survey = await session.survey()
      logSurvey(survey)
      const now = clock.elapsed()
      const weights = new Map([...bySlot(relayers)].map(([slot, its]) => [slot, its.length]))
      const choice = chooseSlots(memory, { survey, weights, leaving: new Set(leaving.keys()), now })
      const { give, take, orphans } = choice
      memory = choice.memory
      await releaseUnwanted()
      beginToLeave(give)
      const got = await session.lock([...new Set([...take, ...orphans])])
      for (const slot of got) locked.add(slot)
      memory = keepOrphans(choice, got, now)
      // Not waited for: others that come meanwhile are to be seen.
      acquiring ??= acquireAll().finally(() => {
        acquiring = undefined
      })
    },
    async leave() {
      beginToLeave(locked)
      await Promise.all([acquiring, ...leaving.values()])
    },
  }
}

interface Acquiring extends Pick<SlotsContext, 'session' | 'onInUse'> {
  readonly accounts: HeldAccounts | undefined
  readonly acquire: (relayer: RelayerId) => Promise<void>
  readonly missing: () => readonly RelayerId[]
}

/** Acquires the missing relayers in rounds, each tried once. Those of slots that are taken meanwhile come with them. */
async function acquireInRounds({ session, accounts, acquire, missing, onInUse }: Acquiring): Promise<void> {
  const tried = new Set<RelayerId>()
  const inUse: RelayerId[] = []
  for (;;) {
    const next = missing()
      .filter((relayer) => !tried.has(relayer))
      .slice(0, acquiredAtOnce)
    if (!session.isAlive()) return
    if (next.length === 0) break
    for (const relayer of next) tried.add(relayer)
    const taken = accounts ? await accounts.take(next) : { own: next, inUse: [] }
    inUse.push(...taken.inUse)
    await Promise.all(taken.own.map(acquire))
  }
  onInUse(inUse)
}

/** Never rejects: it logs an outage of each relayer once. */
function acquirer(holdings: Holdings, logger: Logger): (relayer: RelayerId) => Promise<void> {
  const outages = new Map<RelayerId, Outage>()
  return async (relayer) => {
    try {
      await holdings.acquire(relayer)
      outages.get(relayer)?.worked()
      outages.delete(relayer)
    } catch (error) {
      const outage = outages.get(relayer) ?? loggingOutage(logger, { ...notAcquired, facts: { relayer_id: relayer } })
      outages.set(relayer, outage)
      outage.failed(error)
    }
  }
}

const notAcquired = {
  began: 'a relayer could not be acquired; trying again',
  over: 'a relayer is acquired now',
  level: 'warn',
} as const

/** Logs each change once. */
function surveyLog(logger: Logger): (survey: Survey) => void {
  let logged = ''
  return ({ members, barred }) => {
    const now = `${members.size} ${[...barred]}`
    if (now === logged) return
    logged = now
    logger.info({ replicas: members.size }, 'relayers are shared among the replicas')
    if (barred.size > 0) {
      logger.warn(
        { slots: [...barred] },
        'locks of relayers are held by sessions that are no replicas: their relayers stand still; see "Locks" in docs/scale.md',
      )
    }
  }
}
