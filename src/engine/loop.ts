// Advances one relayer as long as this process owns it: a step, then rest until a block, a wake-up or a time.
import { type Chain, ChainUnavailable } from '../chain/chain.ts'
import { type Condition, runbookOf } from '../domain/condition.ts'
import { isChange } from '../domain/decide/plan/decision.ts'
import { firstWindow } from '../domain/decide/terms/window.ts'
import { explainUnreachable, withoutRepeats } from '../domain/decide/waits/explain-waits.ts'
import { OwnershipLost, StaleWrite } from '../domain/errors.ts'
import { type Bell, bell } from '../ops/bell.ts'
import { backOff, type Clock } from '../ops/clock.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import { waitBriefly } from '../ops/within.ts'
import { fence, type Ownership, type WakeCause } from '../ownership/ownership.ts'
import { idleRestMs } from './again-after.ts'
import { type BroadcastsUnderWay, trackBroadcasts } from './broadcasts-under-way.ts'
import { trackPresigning } from './presign.ts'
import { saveWaits } from './record.ts'
import { trackSignatures } from './signatures-under-way.ts'
import { freshOwner, type StepResult, step } from './step.ts'
import type { StepContext } from './step-context.ts'

/** Failures after which the wait is recorded, some four seconds: a node that restarts is back before. */
const unavailableRecordedAt = 5

export interface Advancing {
  wake(cause?: WakeCause): void
  /** Wakes it if the last step found nothing to do. */
  wakeIfIdle(): void
  /** Resolves when the last step is over, and every broadcast is answered. */
  readonly stopped: Promise<void>
}

/** The ways in which an owner ends by itself. One of them is called, once. */
interface Endings {
  /** A step failed, and its effects are in doubt. */
  renew(ownership: Ownership): void
  /** A write was refused: there is, or was, another owner. */
  yield(ownership: Ownership): void
}

export function advance(context: StepContext, ownership: Ownership, endings: Endings): Advancing {
  const wakes = bell()
  const urgent = bell()
  const last: LastStep = { foundNothing: false }
  const arrivals = { grew() {} }
  return {
    wake(cause) {
      if (cause === 'queued') return arrivals.grew()
      wakes.ring()
      urgent.ring()
    },
    wakeIfIdle() {
      if (last.foundNothing) wakes.ring()
    },
    stopped: run(context, ownership, { wakes, urgent, arrivals, last }, endings),
  }
}

interface Wakes {
  readonly wakes: Bell
  readonly urgent: Bell
  /** The owner sets it: called when a transaction has joined the queue. */
  readonly arrivals: { grew(): void }
}

interface LastStep {
  foundNothing: boolean
}

async function run(
  context: StepContext,
  ownership: Ownership,
  { wakes, urgent, arrivals, last }: Wakes & { readonly last: LastStep },
  endings: Endings,
): Promise<void> {
  const { clock } = context
  const { lost } = ownership
  const logger = context.logger.child({ relayer_id: ownership.relayer, epoch: String(ownership.epoch) })
  const logConditions = loggingConditions(logger)
  const retry = wakingLater(clock, wakes, lost)
  const ringBoth = () => {
    wakes.ring()
    urgent.ring()
  }
  const broadcasts = trackBroadcasts(ringBoth, retry.after)
  const presigning = trackPresigning(clock, () => wakes.ring())
  const signatures = trackSignatures(clock, ringBoth)
  const underWay = { wake: wakes.ring, urgent, broadcasts, signatures, presigning }
  const queue = wakingForQueue(broadcasts, wakes, retry)
  arrivals.grew = queue.grew
  let following: Following | undefined
  let carried = freshOwner
  const outage = loggingOutage(logger, {
    began: 'no node answers; nothing is decided',
    over: 'nodes answer again',
    level: 'warn',
  })
  while (!lost.aborted) {
    try {
      broadcasts.throwLateError()
      presigning.throwLateError()
      // What it finds in doubt sets the time of the next step.
      retry.cancel()
      queue.stepBegins()
      const rest = await step(context, ownership, carried, underWay)
      carried = rest.carried
      last.foundNothing = rest.follow === undefined
      context.observer.window(ownership.relayer, (carried.window ?? firstWindow).size)
      outage.worked()
      if (rest.conditions) logConditions(rest.conditions)
      following = follow(rest, following, wakes, lost)
      queue.stepIsOver()
      await restUntil(rest, context, wakes, lost)
    } catch (error) {
      if (error instanceof StaleWrite) {
        logger.debug(
          { reason: error.message },
          'a client changed a transaction or the relayer during the step; deciding anew',
        )
      } else if (error instanceof ChainUnavailable) {
        const unavailable = outage.failed(error)
        context.observer.unreachable(ownership.relayer)
        // A new owner will find that out by itself.
        if (unavailable === unavailableRecordedAt && !lost.aborted)
          await recordUnavailable(context, ownership, error.message, logger)
        await clock.sleep(backOff(unavailable - 1), lost)
      } else if (error instanceof OwnershipLost) {
        if (lost.aborted) break
        logger.warn({ reason: error.message }, 'another owner is at work')
        endings.yield(ownership)
        break
      } else if (!lost.aborted) {
        context.observer.failed(ownership.relayer)
        logger.error({ err: error }, 'a step failed; its relayer is acquired anew, as after a crash')
        await clock.sleep(backOff(0), lost)
        if (!lost.aborted) endings.renew(ownership)
        break
      }
    }
  }
  following?.stop()
  retry.cancel()
  await Promise.all([broadcasts.ended(), presigning.ended()])
}

/**
 * Wakes the owner for what joined the queue since its last step began. While payloads are on their way none of the queue gets a nonce, so what
 * joins meanwhile shares a step a moment later: nodes nearby have answered by then, and the look at a far one begins before its answer.
 */
function wakingForQueue({ areUnderWay }: BroadcastsUnderWay, wakes: Bell, { after }: ReturnType<typeof wakingLater>) {
  let hasGrown = false
  let isStepping = false
  const pass = () => (areUnderWay() ? after(idleRestMs) : wakes.ring())
  return {
    grew(): void {
      if (hasGrown) return
      hasGrown = true
      if (!isStepping) pass()
    },
    stepBegins(): void {
      hasGrown = false
      isStepping = true
    },
    stepIsOver(): void {
      isStepping = false
      if (hasGrown) pass()
    },
  }
}

/** Wakes the owner once some time has passed, unless that is canceled or set anew. */
function wakingLater(clock: Clock, wakes: Bell, lost: AbortSignal) {
  let waiting: AbortController | undefined
  const cancel = () => {
    // With a reason, since the default is an error that collects a stack.
    waiting?.abort('the owner is awake')
    waiting = undefined
  }
  return {
    cancel,
    after(ms: number): void {
      cancel()
      if (lost.aborted) return
      waiting = new AbortController()
      const { signal } = waiting
      void clock.sleep(ms, signal).then(() => {
        if (!signal.aborted) wakes.ring()
      })
    },
  }
}

async function recordUnavailable(
  context: StepContext,
  ownership: Ownership,
  why: string,
  logger: Logger,
): Promise<void> {
  await recordUnreachable(context, ownership, why).catch((error: unknown) => {
    logger.warn({ err: error }, 'the wait for a node could not be recorded')
  })
}

async function restUntil(rest: StepResult, { clock }: StepContext, wakes: Bell, lost: AbortSignal): Promise<void> {
  if (rest.againAfterMs === 0) return
  if (rest.idle) await clock.sleep(idleRestMs, lost)
  if (rest.againAfterMs === undefined) return wakes.wait(lost)
  await waitBriefly(clock, rest.againAfterMs, wakes.wait, lost)
}

interface Following {
  readonly chain: Chain
  stop(): void
}

/** Wakes the loop at each head while transactions are open; without any, the head is not polled. */
function follow(rest: StepResult, known: Following | undefined, wakes: Bell, lost: AbortSignal): Following | undefined {
  if (known && known.chain === rest.follow) return known
  known?.stop()
  if (!rest.follow) return undefined
  const controller = new AbortController()
  rest.follow.follow(() => wakes.ring(), AbortSignal.any([lost, controller.signal]))
  return { chain: rest.follow, stop: () => controller.abort() }
}

/** Logs a relayer's conditions: once when one begins, once when it is over. */
function loggingConditions(logger: Logger): (conditions: readonly Condition[]) => void {
  let before: readonly Condition[] = []
  return (conditions) => {
    for (const condition of conditions) {
      if (!before.includes(condition))
        logger.warn({ condition, runbook: runbookOf(condition) }, 'a condition holds the relayer up')
    }
    for (const condition of before) {
      if (!conditions.includes(condition)) logger.info({ condition }, 'a condition no longer holds the relayer up')
    }
    before = conditions
  }
}

/**
 * Records in the transactions that no node answers. Without an answer nothing is decided; after a while clients see why. The first
 * observation that succeeds clears it. A change by a client or by another owner makes this record needless, so such a refusal is
 * ignored.
 */
async function recordUnreachable({ store, clock }: StepContext, ownership: Ownership, why: string): Promise<void> {
  const work = await store.reads.work(ownership.relayer)
  const changes = work ? withoutRepeats(explainUnreachable(work, why)).filter(isChange) : []
  if (changes.length === 0) return
  const now = clock.now()
  try {
    await store.commit(async (session) => {
      await fence(session, ownership)
      await saveWaits(session, changes, now)
    }, ownership.relayer)
  } catch (error) {
    if (!(error instanceof StaleWrite || error instanceof OwnershipLost)) throw error
  }
}
