// An endpoint on the wire, as a replica sees it: by host and position, never by its URL.
import { type Static, Type } from 'typebox'
import { runbookOf } from '../../domain/condition.ts'
import {
  type NodeCondition,
  type NodeFailure,
  type NodeLatency,
  type NodeReason,
  type NodeView,
  nodeConditions,
  nodeSentence,
  nodeStateOf,
  nodeStates,
} from '../../domain/node-report.ts'
import { closed, count, optionalInteger, such, time } from '../response/forms.ts'
import { nameInApi, presentTime, runbookSchema } from '../response/present-values.ts'
import { presentRule } from './profile.ts'

const absentForBound = 'Absent for a key that is bound to relayers, at an endpoint that relayers share'

const factsSchema = closed('NodeFacts', { description: 'The figures of the condition' })({
  expected_chain: optionalInteger({ description: 'The chain that it should serve' }),
  served_chain: Type.Optional(Type.Integer()),
  block: optionalInteger({ minimum: 0, description: 'Of the anchor, or of its own head' }),
  hash: Type.Optional(such('0x5e6f…', 'Of its head')),
  expected_hash: Type.Optional(such('0x5e6f…', 'The anchor of the network')),
  shown_hash: Type.Optional(such('0x7a8b…')),
  method: Type.Optional(such('eth_chainId')),
  in_row: optionalInteger({ minimum: 1, description: 'How many times in a row' }),
  behind: optionalInteger({ minimum: 1, description: 'Blocks' }),
  rests_until: Type.Optional(time('When it is tried again, by the clock of its replica')),
})

const conditionSchema = closed('NodeCondition')({
  condition: Type.Enum([...nodeConditions], {
    description:
      '`wrong_chain`: it serves another chain. `branches_differ`: as many endpoints hold another branch as its own. `outvoted`: most hold another branch. `strayed`: it answered about another thing than the call named. `no_answer`: its last requests got no answer. `lagging`: others have left its head behind. `unverified`: it has not shown yet which chain it serves',
  }),
  facts: factsSchema,
  text: such('did not answer the last 4 requests'),
  runbook: runbookSchema('node_unreachable'),
})

const headSchema = closed('NodeHead')({
  number: Type.Integer({ minimum: 0, examples: [21_000_000] }),
  made_at: time("The block's own time"),
  read_at: time(),
  behind: count('How many blocks the head that the replica believed then was above it'),
})

const callsSchema = closed('NodeCalls', { description: absentForBound })({
  since: time('An hour ago, or when the replica began to count'),
  total: count('Calls by the service itself, those inside a batch one by one'),
  rpc_errors: count('Refused by the node; a call that reverts counts, too'),
  unanswered: count('A time-out, a lost connection, a rate limit, an answer that is none'),
  unsent: count('No connection was made'),
})

const latencySchema = closed('NodeLatency')({
  p50_ms: count('Half of the calls were answered within'),
  p95_ms: count('19 of 20 calls were answered within'),
  calls: Type.Optional(count(`So many calls, the last that were answered, at most 500. ${absentForBound}`)),
})

const failureSchema = closed('NodeFailure')({
  at: time(),
  method: Type.Optional(such('eth_chainId', absentForBound)),
  kind: Type.Enum(['unanswered', 'unsent']),
  http_status: optionalInteger({ examples: [503] }),
  text: Type.Optional(such('no answer within 10000 ms', `Without a URL or a key. ${absentForBound}`)),
})

const rpcErrorSchema = closed('NodeRpcError', { description: absentForBound })({
  at: time(),
  method: such('eth_estimateGas'),
  code: Type.Integer({ examples: [-32_000] }),
  text: such('execution reverted', "The node's words, without a URL or a key"),
})

export const endpointProperties = {
  endpoint: Type.Integer({ minimum: 0, description: 'Its position in `rpc_urls`, from 0', examples: [0] }),
  host: such('rpc.example', 'Of its URL, never more of it'),
  weight: Type.Integer({ minimum: 0, maximum: 100, examples: [100] }),
}

export const nodeSchema = closed('Node', { description: 'As one replica sees it' })({
  ...endpointProperties,
  state: Type.Enum([...nodeStates], {
    description:
      '`unverified`: it has not shown its chain yet. `impaired`: it fails or lags; it is used where no better one is left. `distrusted`: its answers do not count',
  }),
  conditions: Type.Array(conditionSchema, { description: 'Why it is not `ok`, the worst first' }),
  client: Type.Optional(such('Geth/v1.17.0-stable/linux-amd64/go1.25', 'As it names itself')),
  replacement: Type.Optional(
    closed('NodeReplacement', { description: 'By how much its pool wants a replacement to pay more, by its client' })({
      measure: Type.Enum(['fields', 'effective_price'], {
        description: '`fields`: fee cap and tip, each by itself',
      }),
      percent: Type.Integer({ minimum: 0, examples: [10] }),
    }),
  ),
  chain_id: optionalInteger({ description: 'As it answered last', examples: [1] }),
  head: Type.Optional(headSchema),
  calls: Type.Optional(callsSchema),
  latency: Type.Optional(latencySchema),
  last_failure: Type.Optional(failureSchema),
  last_rpc_error: Type.Optional(rpcErrorSchema),
})

export function presentNode(view: NodeView): Static<typeof nodeSchema> {
  const { calls, latency } = view
  return {
    ...presentNodeState(view),
    calls: presentCalls(calls),
    ...(latency && { latency: { ...presentLatency(latency), calls: latency.calls } }),
    ...presentErrors(view),
  }
}

/**
 * The endpoint without the calls: the service makes them for all relayers that share it, so their texts show the accounts and
 * contracts of others, and their number shows when others move.
 */
export function presentNodeState(view: NodeView): Static<typeof nodeSchema> {
  const { endpoint, host, weight, client, replacement, chainId, latency, lastFailure } = view
  return {
    ...{ endpoint, host, weight },
    state: nodeStateOf(view),
    conditions: view.reasons.map(presentReason),
    ...(client !== undefined && { client }),
    ...(replacement && { replacement: presentRule(replacement) }),
    ...(chainId !== undefined && { chain_id: chainId }),
    ...(view.head && { head: presentHead(view.head) }),
    ...(latency && { latency: presentLatency(latency) }),
    ...(lastFailure && { last_failure: presentFailure(lastFailure) }),
  }
}

export function presentHead({ number, madeAt, readAt, behind }: NonNullable<NodeView['head']>) {
  return { number, made_at: presentTime(madeAt), read_at: presentTime(readAt), behind }
}

function presentCalls({ since, total, rpcErrors, unanswered, unsent }: NodeView['calls']) {
  return { since: presentTime(since), total, rpc_errors: rpcErrors, unanswered, unsent: unsent }
}

function presentLatency({ p50Ms, p95Ms }: NodeLatency) {
  return { p50_ms: p50Ms, p95_ms: p95Ms }
}

function presentFailure({ at, kind, status }: NodeFailure) {
  return { at: presentTime(at), kind, ...(status !== undefined && { http_status: status }) }
}

function presentErrors({
  lastFailure,
  lastRpcError,
}: NodeView): Pick<Static<typeof nodeSchema>, 'last_failure' | 'last_rpc_error'> {
  return {
    ...(lastFailure && {
      last_failure: { ...presentFailure(lastFailure), method: lastFailure.method, text: lastFailure.words },
    }),
    ...(lastRpcError && {
      last_rpc_error: {
        at: presentTime(lastRpcError.at),
        method: lastRpcError.method,
        code: lastRpcError.code,
        text: lastRpcError.words,
      },
    }),
  }
}

function presentReason(reason: NodeReason): Static<typeof conditionSchema> {
  const { condition, facts } = reason
  const named = Object.entries(facts).map(([name, fact]) => [
    nameInApi(name),
    name === 'restsUntil' ? presentTime(fact) : fact,
  ])
  return {
    condition,
    facts: Object.fromEntries(named),
    text: nodeSentence(reason),
    runbook: runbookOf(pageOf(condition)),
  }
}

function pageOf(condition: NodeCondition): 'wrong_chain' | 'branches_differ' | 'node_unreachable' {
  if (condition === 'wrong_chain') return condition
  return condition === 'branches_differ' || condition === 'outvoted' ? 'branches_differ' : 'node_unreachable'
}
