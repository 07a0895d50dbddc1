// Acts on what waits for no reading, while the owner looks at the chain: domain/decide/decide-at-once.ts says what that is, and why.
//
// 1. The look begins. If its answers are at hand, the step decides by them alone.
// 2. Otherwise the owner decides at once, by the rows and by its last look, and carries that out.
// 3. A client's wake, a signature, an answer to a broadcast or an expiry ends the wait for the look. The rows are read again, and so on from 2.
// 4. The look is over. If only nonces were bound meanwhile, the step reads its rows again, and decides by the look. If more was done, the rows of
//    its step are old: the next step reads them, and decides by the same answers.
//
// So there is one decision at a time.
import type { Chain } from '../chain/chain.ts'
import { asOfRows, continueQueue, decideAtOnce, isRecent } from '../domain/decide/decide-at-once.ts'
import type { Covered } from '../domain/decide/facts/inquire.ts'
import { nextExpiry, type Work } from '../domain/decide/plan/work.ts'
import type { Observation } from '../domain/observation.ts'
import { nextTurn } from '../ops/clock.ts'
import { waitBriefly } from '../ops/within.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { idleRestMs, sleepMaxMs } from './again-after.ts'
import { broadcastSigned, carryOut, type Done } from './carry-out.ts'
import type { StepContext } from './step-context.ts'
import type { UnderWay } from './under-way.ts'

/** The observation of the last look, and when its head was read, on the clock that never goes back. */
export interface LastLook {
  readonly observation: Observation
  readonly readAt: number
  /** The transactions that it has read for: those with a nonce and, unless it searched a lost history, those in the queue. */
  readonly covered: Covered
}

/** A look that did not read the balance keeps the one of the look before, if no nonce was spent since: a PUT needs it. */
export function withKnownBalance(
  observation: Observation,
  before: Pick<LastLook, 'observation'> | undefined,
): Observation {
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

/** Resolves when the look is over: what was done meanwhile. `work`: the rows from before the look. */
export async function actDuring(look: Promise<unknown>, work: Work, meanwhile: Meanwhile): Promise<Done> {
  const { context, ownership, underWay, lastLook, readWork } = meanwhile
  let isOver = false
  const ended = () => {
    isOver = true
  }
  const over = look.then(ended, ended)
  await Promise.race([over, nextTurn()])
  const done = new Set<Done>()
  let rows: Work | undefined = work
  while (rows && !isOver && !ownership.lost.aborted) {
    const acted = await act(rows, meanwhile)
    done.add(acted)
    if (acted === 'nothing' && rows !== work) await waitBriefly(context.clock, idleRestMs, () => over, ownership.lost)
    await waitForMore(over, rows, meanwhile)
    if (isOver) break
    done.add(await broadcastSigned(context, ownership, underWay, { seen: lastLook?.observation, readWork }))
    rows = await readWork()
  }
  await over
  return done.has('more') ? 'more' : done.has('bound') ? 'bound' : 'nothing'
}

/** Waits until the look is over, or there may be more to do. */
async function waitForMore(over: Promise<void>, rows: Work, { context, ownership, underWay }: Meanwhile) {
  const now = context.clock.now()
  const waits = (ended: AbortSignal) => Promise.race([over, underWay.urgent.wait(ended)])
  const expiry = nextExpiry(rows, now)
  const leftMs = expiry === undefined ? sleepMaxMs : Math.min(expiry - now, sleepMaxMs)
  await waitBriefly(context.clock, leftMs, waits, ownership.lost)
}

/** What was decided. */
async function act(work: Work, { context, chain, ownership, underWay, lastLook }: Meanwhile): Promise<Done> {
  if (!lastLook) return 'nothing'
  const { clock, policyOf } = context
  const { readAt, covered } = lastLook
  const observation = asOfRows(lastLook.observation, covered, work)
  const policy = policyOf(work.relayer)
  const ageMs = clock.elapsed() - readAt
  if (!isRecent(ageMs, observation, policy)) return 'nothing'
  const situation = { work, observation, policy, now: clock.now() }
  const urgent = decideAtOnce(situation)
  const plan = urgent.decisions.length > 0 ? urgent : continueQueue(situation, { ageMs, covered })
  if (plan.decisions.length === 0) return 'nothing'
  context.logger.debug({ relayer_id: work.relayer.id }, 'deciding at once, by the last look')
  await carryOut(context, chain, ownership, underWay, { ...situation, plan })
  return plan === urgent ? 'more' : 'bound'
}
