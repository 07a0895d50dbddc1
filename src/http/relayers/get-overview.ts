// Reads the overview of relayers (GET).
import { type Static, Type } from 'typebox'
import { networkPausesOf, type Overview, readOverview, type Shared } from '../../commands/relayers/read-overview.ts'
import {
  countedSendsMax,
  haveSameNodes,
  networkPrice,
  readTopUp,
  type TopUpSource,
} from '../../commands/relayers/read-status.ts'
import { runbookOf } from '../../domain/condition.ts'
import type { NetworkPrice } from '../../domain/fees.ts'
import { relayerStates, type ShownHeld, stateOf } from '../../domain/owner-report.ts'
import { isPaused } from '../../domain/pause.ts'
import type { TopUp } from '../../domain/preview/top-up.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { OpenTransaction } from '../../domain/relayer-overview.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { visibleRelayers } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { address, closed, count, optionalInteger, some, such, time, wei } from '../response/forms.ts'
import { foundRelayer } from '../response/found.ts'
import {
  acknowledgmentSchema,
  networkPauseSchema,
  networkPriceSchema,
  presentAcknowledgment,
  presentPause,
  presentPrice,
  presentTime,
  runbookSchema,
} from '../response/present-values.ts'
import {
  factsSchema,
  heldConditionSchema,
  presentFacts,
  presentWait,
  waitSchema,
} from '../transactions/present-wait.ts'
import { fundsProperties, presentFunds } from './present-funds.ts'

interface OverviewSource extends TopUpSource {
  readonly clock: Pick<Clock, 'now'>
}

/** Facts that these relayers share. */
async function sharedBy(relayers: readonly Relayer[], { reads }: OverviewSource): Promise<Shared> {
  const [pauses, outages] = await Promise.all([networkPausesOf(reads, relayers), reads.outages()])
  return { pauses, outages }
}

async function overviewOf(source: OverviewSource, relayer: Relayer, { pauses, outages }: Shared) {
  const ofItsNodes = outages.filter((each) => haveSameNodes(source.chainOf, relayer, each))
  const overview = await readOverview(source.reads, relayer, { pauses, outages: ofItsNodes })
  const topUp = await readTopUp(source, overview)
  return presentOverview(overview, { price: networkPrice(source.chainOf, relayer), topUp }, source.clock.now())
}

export function getOverview(source: OverviewSource) {
  return operation({
    scope: 'read',
    operationId: 'getOverview',
    summary: 'List relayers with their open transactions and their conditions',
    description:
      'Calls no node: states, conditions and balances are those of the last observation by the owner of each.',
    querystring: pageQuery,
    response: answers(Type.Array(overviewSchema)),
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await visibleRelayers(source.reads, principal, page)
      const shared = await sharedBy(items, source)
      const presented = await Promise.all(items.map((relayer) => overviewOf(source, relayer, shared)))
      return success(presented, [], paginationOf(page, total))
    },
  })
}

export function getRelayerOverview(source: OverviewSource) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    operationId: 'getRelayerOverview',
    summary: 'Get a relayer with its open transactions and its conditions',
    description: 'Calls no node: state, conditions and balance are those of the last observation by its owner.',
    params: relayerParameters,
    response: answers(overviewSchema),
    async answer({ params }) {
      const relayer = await foundRelayer(source.reads, params.relayer_id)
      return success(await overviewOf(source, relayer, await sharedBy([relayer], source)))
    },
  })
}

const openProperties = {
  id: such(some.transactionId),
  nonce: optionalInteger({ minimum: 0, description: 'Absent in the queue' }),
  created_at: time(),
}

export const heldSchema = closed('RelayerCondition', {
  description: 'It holds transactions up, or would hold up the next send',
})({
  condition: heldConditionSchema,
  since: time('When it began to hold'),
  text: Type.Optional(
    such('the next send would wait: the balance (0.01 ether) does not cover its value (0.5 ether) and gas'),
  ),
  facts: Type.Optional(factsSchema),
  runbook: runbookSchema('balance_short'),
  acknowledged: Type.Optional(acknowledgmentSchema),
})

const balanceSchema = closed('LastBalance', { description: 'As last read; absent before' })({
  wei: wei('Wei'),
  read_at: time(),
})

const topUpSchema = closed('TopUp', {
  description:
    'The payment to the account that is missing, at the balance and the prices last read. Absent unless a condition is about the balance, and where this process has read no prices',
})({
  next: wei('Wei: for the next transaction, with cancel_reserve and min_balance'),
  queue: Type.Optional(
    closed('QueueTopUp', { description: 'Absent without a queue' })({
      transactions: Type.Integer({
        minimum: 1,
        maximum: countedSendsMax,
        description: 'How many are counted: the first',
      }),
      wei: wei('Wei: for all of these, at least. Gas that is still to be estimated and fees on L1 come on top'),
    }),
  ),
})

const changeSchema = closed('RelayerChange', {
  description: 'The last change of the relayer by a client; absent without one',
})({
  at: time(),
  by: such(some.apiKeyId, 'The id of the API key'),
  operation: such('updateRelayer'),
  members: Type.Array(such('policies.gas_price_cap'), { description: 'Those that it changed' }),
})

const overviewSchema = closed('Overview')({
  id: such('local'),
  name: such('Payouts'),
  network: such('sepolia'),
  address: address(),
  paused: Type.Boolean({ description: 'Its own pause' }),
  network_pause: Type.Optional(networkPauseSchema),
  state: Type.Enum([...relayerStates], {
    description:
      '`waiting`: a condition holds it up, or would hold up its next send. `unreachable`: no node of its network answers. `unobserved`: no process has observed it for 15 minutes',
  }),
  conditions: Type.Array(heldSchema),
  observed_at: Type.Optional(time('Of the last observation by its owner; absent before')),
  balance: Type.Optional(balanceSchema),
  ...fundsProperties,
  top_up: Type.Optional(topUpSchema),
  changed: Type.Optional(changeSchema),
  queued: count('Without a nonce'),
  in_flight: count('With a nonce, in no block'),
  mined: count('In a block, not confirmed'),
  racing: count('Those in flight that are canceled, and not decided'),
  gas_price_cap: Type.Optional(wei('Wei: the policy, as text with every digit; absent without one')),
  network_price: Type.Optional(networkPriceSchema),
  oldest: Type.Optional(closed('OpenTransaction', { description: 'In no block, and sent first' })(openProperties)),
  held_up: Type.Optional(
    closed('HeldUpTransaction', {
      description: 'The first that waits, and so holds up the others; else one whose finality is stalled',
    })({ ...openProperties, wait: waitSchema }),
  ),
})

function presentOverview(
  overview: Overview,
  { price, topUp }: { readonly price: NetworkPrice | undefined; readonly topUp: TopUp | undefined },
  now: TimestampMs,
): Static<typeof overviewSchema> {
  const { relayer, oldest, heldUp, report, conditions, changed, pause, ...counts } = overview
  const { gasPriceCap: cap } = relayer.policies
  return {
    id: relayer.id,
    name: relayer.name,
    network: relayer.network,
    address: relayer.address,
    paused: relayer.paused,
    ...(pause && { network_pause: presentPause(pause) }),
    state: stateOf(isPaused(relayer), report && { ...report, conditions }, now),
    conditions: conditions.map(presentHeld),
    ...(report && { observed_at: presentTime(report.observedAt) }),
    ...(report?.balance && {
      balance: { wei: report.balance.wei.toString(), read_at: presentTime(report.balance.readAt) },
    }),
    ...presentFunds(relayer, report),
    ...(topUp && { top_up: presentTopUp(topUp) }),
    ...(changed && { changed: { ...changed, at: presentTime(changed.at), members: [...changed.members] } }),
    queued: counts.queued,
    in_flight: counts.inFlight,
    mined: counts.mined,
    racing: counts.racing,
    ...(cap !== undefined && { gas_price_cap: cap.toString() }),
    ...(price && { network_price: presentPrice(price) }),
    ...(oldest && { oldest: presentOpen(oldest) }),
    ...(heldUp && {
      held_up: { ...presentOpen(heldUp), wait: presentWait(heldUp.wait, heldUp.isRacing) },
    }),
  }
}

export function presentHeld({ condition, since, text, facts, acknowledged }: ShownHeld): Static<typeof heldSchema> {
  return {
    condition,
    since: presentTime(since),
    ...(text !== undefined && { text }),
    ...(facts && { facts: presentFacts(facts) }),
    runbook: runbookOf(condition),
    ...(acknowledged && { acknowledged: presentAcknowledgment(acknowledged) }),
  }
}

function presentOpen({ id, nonce, createdAt }: OpenTransaction) {
  return { id, ...(nonce !== undefined && { nonce }), created_at: presentTime(createdAt) }
}

function presentTopUp({ next, queue }: TopUp): Static<typeof topUpSchema> {
  return {
    next: next.toString(),
    ...(queue && { queue: { transactions: queue.transactions, wei: queue.wei.toString() } }),
  }
}
