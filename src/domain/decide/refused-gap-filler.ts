// Gap fillers that nodes call invalid, as on a chain where a no-op needs more gas. A new one would be refused as well,
// so the same bytes are retried. Each pause is as long as all the time before it. A client's new transaction takes the
// nonce instead.
import { isNoOp, newest } from '../attempt.ts'
import { lacksGas, noOpGasLimit } from '../no-op.ts'
import { type InPhase, isInPhase } from '../transaction.ts'
import type { TimestampMs } from '../units.ts'
import { nextBid } from './bid.ts'
import { type Decision, explain } from './decision.ts'
import { givesWay, refusalOfGapFiller } from './gap-filler.ts'
import { isRefusedDue, type RepeatAfter, refusedRetryAt, repeatAfter } from './repeat-after.ts'
import type { Situation } from './situation.ts'
import type { Work } from './work.ts'

export function makeWay(gapFiller: InPhase<'inFlight'>): Decision {
  return { do: 'refuse', transaction: gapFiller, reason: `the node refused it: ${refusalOfGapFiller(gapFiller)}` }
}

export function pursueRefusedGapFiller(
  gapFiller: InPhase<'inFlight'>,
  refusal: string,
  { work, observation, policy, now }: Situation,
): Decision[] {
  const { nonce, attempts } = gapFiller.lifecycle
  const wider = withMoreGas(gapFiller, { work, observation, policy, now })
  if (wider) return [wider]
  // Until the history check is complete, the nonce may belong to a transaction that is not on record.
  if (givesWay(gapFiller) && !work.lostHistory && !isWaitedFor(nonce, work)) return [makeWay(gapFiller)]
  const reason = `waits: the node refuses the no-op that fills nonce ${nonce}, and it is broadcast again at growing intervals: ${refusal}`
  const again: Decision[] = isRefusedDue(newest(attempts), repeatAfter(observation, policy), now)
    ? [{ do: 'rebroadcast', transaction: gapFiller, attempt: newest(attempts) }]
    : []
  return [...explain(gapFiller, 'node_refuses', reason), ...again]
}

/** The same no-op with more gas, if the chain demands more by now: nodes may accept that. */
function withMoreGas(gapFiller: InPhase<'inFlight'>, { work, observation, policy }: Situation): Decision | undefined {
  const { market, balance } = observation
  const { attempts } = gapFiller.lifecycle
  const gas = noOpGasLimit(market, policy.profile)
  if (!market || gas === undefined || !lacksGas(newest(attempts), market)) return undefined
  const { cancelGasPriceCap: cap } = work.relayer.policies
  const bidder = { transaction: gapFiller, own: attempts, speed: 'fast', gas, cap, funds: balance } as const
  const bid = nextBid(bidder, observation, market, policy)
  return bid.kind === 'sign' ? { do: 'bump', transaction: gapFiller, fees: bid.fees, gasLimit: gas } : undefined
}

/** Explains the next transaction behind such a gap filler, until another transaction takes the nonce. */
export function explainRefusedGapFiller({ open }: Work): Decision[] {
  const inFlight = open.filter((each) => isInPhase(each, 'inFlight'))
  const gapFiller = inFlight.find((each) => refusalOfGapFiller(each) !== undefined)
  const behind = gapFiller && inFlight.find((each) => isBehind(each, gapFiller.lifecycle.nonce))
  if (!gapFiller || !behind) return []
  const prefix = behind.cancellation ? 'canceled; ' : 'waits: '
  const remedy = givesWay(gapFiller) ? ', and the next transaction sent takes the nonce' : ''
  const reason = `${prefix}nonce ${gapFiller.lifecycle.nonce} comes first, and the node refuses the no-op that would fill it: ${refusalOfGapFiller(gapFiller)}; the no-op is tried again${remedy}`
  return explain(behind, 'node_refuses', reason)
}

/** The first retry after `now` of a refused gap filler or a refused no-op of a race. */
export function nextRefusedRetry({ open }: Work, repeats: RepeatAfter, now: TimestampMs): TimestampMs | undefined {
  const times = open.flatMap((each) =>
    isInPhase(each, 'inFlight') && (refusalOfGapFiller(each) !== undefined || isRefusedNoOp(each))
      ? [refusedRetryAt(newest(each.lifecycle.attempts), repeats)]
      : [],
  )
  const later = times.filter((at) => at > now)
  return later.length === 0 ? undefined : Math.min(...later)
}

function isRefusedNoOp({ lifecycle }: InPhase<'inFlight'>): boolean {
  const latest = newest(lifecycle.attempts)
  return isNoOp(latest) && latest.broadcast.state === 'refused'
}

function isWaitedFor(nonce: number, { open }: Work): boolean {
  return open.some((each) => isInPhase(each, 'inFlight') && isBehind(each, nonce))
}

function isBehind(transaction: InPhase<'inFlight'>, nonce: number): boolean {
  return transaction.lifecycle.nonce > nonce && !givesWay(transaction)
}
