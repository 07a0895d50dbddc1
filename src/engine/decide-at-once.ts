// Acts on what waits for no reading, while the owner looks at the chain: domain/decide/decide-at-once.ts says what that is, and why.
//
// 1. The look begins. If its answers are at hand, the step decides by them alone.
// 2. Otherwise the owner decides at once, by the rows and by its last look, and carries that out.
// 3. A client's wake, a signature or an expiry ends the wait for the look. The rows are read again, and so on from 2.
// 4. The look is over. If anything was done meanwhile, the rows of its step are old: the next step reads them, and decides by the same answers.
//
// So there is one decision at a time.
import type { Chain } from '../chain/chain.ts'
import { decideAtOnce, isRecent } from '../domain/decide/decide-at-once.ts'
import { nextExpiry, type Work } from '../domain/decide/plan/work.ts'
import type { Observation } from '../domain/observation.ts'
import { nextTurn } from '../ops/clock.ts'
import { waitBriefly } from '../ops/within.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { idleRestMs, sleepMaxMs } from './again-after.ts'
import { broadcastSigned, carryOut } from './carry-out.ts'
import type { StepContext } from './step-context.ts'
import type { UnderWay } from './under-way.ts'

/** The observation of the last look, and when its head was read, on the clock that never goes back. */
export interface LastLook {
  readonly observation: Observation
  readonly readAt: number
}

/** A look that did not read the balance keeps the one of the look before, if no nonce was spent since: a PUT needs it. */
export function withKnownBalance(observation: Observation, before: LastLook | undefined): Observation {
  const { nonce, balance, balanceReadAt, lagged } = before?.observation ?? {}
  // Where payments count later, both are of one head.
  if (observation.balance !== undefined || balance === undefined || nonce !== observation.nonce || lagged)
    return observation
  return { ...observation, balance, ...(balanceReadAt !== undefined && { balanceReadAt }) }
}

export interface Meanwhile {
  readonly context: StepContext
  readonly chain: Chain
  readonly ownership: Ownership
  readonly underWay: UnderWay
  /** Absent: this owner has not looked yet. */
  readonly lastLook: LastLook | undefined
  /** Reads the rows as they are now. Undefined: the relayer is gone. */
  readWork(): Promise<Work | undefined>
}

/** Resolves when the look is over: whether anything was done meanwhile. `work`: the rows from before the look. */
export async function actDuring(look: Promise<unknown>, work: Work, meanwhile: Meanwhile): Promise<boolean> {
  const { context, ownership, underWay, lastLook, readWork } = meanwhile
  let isOver = false
  const ended = () => {
    isOver = true
  }
  const over = look.then(ended, ended)
  await Promise.race([over, nextTurn()])
  let hasActed = false
  let rows: Work | undefined = work
  while (rows && !isOver && !ownership.lost.aborted) {
    if (await act(rows, meanwhile)) hasActed = true
    else if (rows !== work) await waitBriefly(context.clock, idleRestMs, () => over, ownership.lost)
    await waitForMore(over, rows, meanwhile)
    if (isOver) break
    if (await broadcastSigned(context, ownership, underWay, lastLook?.observation)) hasActed = true
    rows = await readWork()
  }
  await over
  return hasActed
}

/** Waits until the look is over, or there may be more to do. */
async function waitForMore(over: Promise<void>, rows: Work, { context, ownership, underWay }: Meanwhile) {
  const now = context.clock.now()
  const waits = (ended: AbortSignal) => Promise.race([over, underWay.urgent.wait(ended)])
  const expiry = nextExpiry(rows, now)
  const leftMs = expiry === undefined ? sleepMaxMs : Math.min(expiry - now, sleepMaxMs)
  await waitBriefly(context.clock, leftMs, waits, ownership.lost)
}

/** Whether anything was decided. */
async function act(work: Work, { context, chain, ownership, underWay, lastLook }: Meanwhile): Promise<boolean> {
  if (!lastLook) return false
  const { clock, policyOf } = context
  const { observation, readAt } = lastLook
  const policy = policyOf(work.relayer)
  if (!isRecent(clock.elapsed() - readAt, observation, policy)) return false
  const situation = { work, observation, policy, now: clock.now() }
  const plan = decideAtOnce(situation)
  if (plan.decisions.length === 0) return false
  context.logger.debug({ relayer_id: work.relayer.id }, 'deciding at once, by the last look')
  await carryOut(context, chain, ownership, underWay, { ...situation, plan })
  return true
}
