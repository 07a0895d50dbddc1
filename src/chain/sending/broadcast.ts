// Broadcasts signed transactions, in order and in one batch, and returns the outcome of each.
import type { BroadcastOutcome } from '../../domain/attempt.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Wei } from '../../domain/units.ts'
import type { BroadcastRequest } from '../chain.ts'
import type { Answer } from '../nodes/call.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import {
  broadcastOutcome,
  doubtsChain,
  isForPrice,
  mergeOutcomes,
  minimumTipIn,
  worthAnother,
} from './broadcast-outcome.ts'
import type { SendRaw } from './send-raw.ts'

/** The facts that answers teach beside their outcomes. */
interface Learn {
  /** Called with a node's smallest tip where a refusal names it. */
  readonly minimum: (tip: Wei, by: Endpoint) => void
  /** Called with each endpoint's own outcome. */
  readonly refusal: (hash: Hash, by: Endpoint, outcome: BroadcastOutcome) => void
}

/** Never rejects. */
export async function broadcast(
  endpoints: Endpoints,
  requests: readonly BroadcastRequest[],
  send: SendRaw,
  taught: Learn,
): Promise<ReadonlyMap<Hash, BroadcastOutcome>> {
  const outcomes = new Map<Hash, BroadcastOutcome>()
  const learn = (request: BroadcastRequest, answer: Answer, by: Endpoint) => {
    const minimum = minimumTipIn(answer)
    if (minimum !== undefined) taught.minimum(minimum, by)
    const outcome = broadcastOutcome(answer, request.hash)
    taught.refusal(request.hash, by, outcome)
    const known = outcomes.get(request.hash)
    outcomes.set(request.hash, known ? mergeOutcomes(known, outcome) : outcome)
  }

  const [first, ...others] = endpoints.order()
  if (!first || requests.length === 0) return new Map(requests.map(({ hash }) => [hash, nowhere]))
  const wide = requests.filter((request) => request.reach === 'all')
  const widely = (some: readonly Endpoint[]) =>
    Promise.all(wide.length > 0 ? some.map((endpoint) => broadcastTo(endpoint, wide, send, learn)) : [])
  // A resting endpoint gets no-ops too, but its time-out delays a race only where no other endpoint may have the bytes.
  const late = widely(others.filter((endpoint) => !endpoint.fit()))
  await Promise.all([broadcastTo(first, requests, send, learn), widely(others.filter((endpoint) => endpoint.fit()))])
  if (!wide.every(({ hash }) => mayBeInAPool(outcomes.get(hash)))) await late
  for (const endpoint of others) {
    const mayHelp = (outcome: BroadcastOutcome) =>
      // No payload waits for the time-out of one that fails, only to hear its opinion of a price.
      worthAnother(outcome) || (isForPrice(outcome) && endpoint.answers())
    const again = requests.filter(({ hash, reach }) => reach === 'one' && mayHelp(outcomes.get(hash) ?? nowhere))
    // The first endpoint may have failed slowly, and a client may have canceled the transaction meanwhile.
    const wanted = await Promise.all(again.map(async ({ stillWanted }) => stillWanted?.() ?? true))
    const left = again.filter((_, index) => wanted[index])
    if (left.length > 0) await broadcastTo(endpoint, left, send, learn)
  }
  return new Map(outcomes)
}

function mayBeInAPool(outcome: BroadcastOutcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== 'unsent' && outcome.kind !== 'rejected'
}

const nowhere: BroadcastOutcome = { kind: 'unsent', message: 'the network has no endpoints' }

async function broadcastTo(
  endpoint: Endpoint,
  requests: readonly BroadcastRequest[],
  send: SendRaw,
  learn: (request: BroadcastRequest, answer: Answer, by: Endpoint) => void,
): Promise<void> {
  // An endpoint gets no bytes before it has reported its chain, so its outcome is certain: unsent.
  const unfit = await endpoint.ready()
  const answers: readonly Answer[] =
    unfit === undefined
      ? await Promise.all(requests.map((request) => send(endpoint, request)))
      : requests.map(() => ({ kind: 'unsent', message: unfit }))
  // A node of another chain proves nothing about this one, so all of its answers are void.
  if (answers.some(doubtsChain)) await endpoint.confirm()
  const wrong = unfit === undefined ? endpoint.wrong() : undefined
  for (const [index, request] of requests.entries()) {
    const answer: Answer | undefined = wrong !== undefined ? { kind: 'unknown', message: wrong } : answers[index]
    if (answer) learn(request, answer, endpoint)
  }
}
