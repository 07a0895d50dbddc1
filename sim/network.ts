// The network between service and nodes: each HTTP request has an outcome, drawn by the odds of its endpoint.

import type { HttpAnswer, OpenTransport } from '../src/chain/nodes/transport.ts'
import type { Hex } from '../src/domain/ids.ts'
import type { Dice } from '../tooling/dice.ts'
import { type Refusal, refusals } from '../tooling/refused-batches.ts'
import type { BackendOf } from './chain/backends.ts'
import { receiptsOfBlock } from './chain/block-receipts.ts'
import { answer, type Member, type NodeWorld, type SimNode } from './chain/node.ts'
import type { EstimateChecks } from './check/estimates.ts'
import type { PatienceChecks } from './check/patience.ts'
import type { History } from './history.ts'
import type { LieKind } from './lies/lie.ts'
import { lies } from './lies/lies.ts'
import { allAnswered, type OutcomeOdds, type RequestOutcome } from './outcomes.ts'
import { type Instance, leave } from './process/instance.ts'
import type { Scenario } from './scenario/scenario.ts'
import type { Timeline } from './timeline.ts'

export interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

export interface Network {
  transport(instance: Instance): OpenTransport
  /** For each node. */
  outcomeOdds: OutcomeOdds[]
  /** Outcomes of requests that broadcast. `answered`: the endpoint's own odds decide. */
  sendOutcomeOdds: OutcomeOdds
  /** No request and no answer is slow. */
  isPrompt: boolean
  /** For each node: the largest batch that its gateway accepts. Undefined: it accepts all. */
  readonly batchLimits: (BatchLimit | undefined)[]
}

export interface NetworkWitness {
  /** The service is letting these signed bytes go. */
  leaving(instance: Instance, raws: readonly Hex[]): void
  /** Undefined where no node lies about estimates. */
  readonly estimates: EstimateChecks | undefined
  /** Undefined where blocks are not short. */
  readonly patience: PatienceChecks | undefined
  /** The service has believed a first price. Before that, a lie looks like a price. */
  knowsPrices(): boolean
  /** A node answered falsely. */
  lied(lie: LieKind, call: Call, honest: Member, claimed: Member): void
  /** All lies are over. */
  isTruthful(): boolean
  /** A node took bytes, and its answer is lost. */
  unheard(): void
}

/** What chance decides. */
interface NetworkChance {
  readonly dice: Dice
  readonly batchDice: Dice
  readonly sendDice: Dice
  readonly lieDice: Dice
  /** The backend that a request reaches. */
  readonly backendOf: BackendOf
}

/** The largest batch that a node's gateway accepts, in calls or in broadcasts. */
interface BatchLimit {
  readonly of: 'calls' | 'sends'
  readonly most: number
  readonly refusal: Refusal
}

/** One node in three has a limit. */
function drawBatchLimit(dice: Dice): BatchLimit | undefined {
  if (!dice.chance(0.35)) return undefined
  const of = dice.pick(['calls', 'sends'] as const)
  return { of, most: dice.pick(of === 'calls' ? [1, 1, 2, 3, 5, 10] : [1, 1, 2, 3]), refusal: dice.pick(refusals) }
}

export function openSimNetwork(
  world: NodeWorld,
  nodes: readonly SimNode[],
  timeline: Timeline,
  { dice, batchDice, sendDice, lieDice, backendOf }: NetworkChance,
  { liar, sendOutcomeOdds, latenciesMs }: Pick<Scenario, 'liar' | 'sendOutcomeOdds' | 'latenciesMs'>,
  history: History,
  witness: NetworkWitness,
): Network {
  const batchLimits = nodes.map(() => drawBatchLimit(batchDice))
  const network: Network = {
    ...{ transport, outcomeOdds: nodes.map(() => allAnswered), sendOutcomeOdds },
    ...{ isPrompt: false, batchLimits },
  }

  function transport(instance: Instance): OpenTransport {
    return ({ url, timeoutMs }) => {
      const index = Number(/\d+/.exec(url)?.[0])
      return {
        redact: (text) => text,
        close: async () => undefined,
        post: (body) =>
          new Promise((resolve) => {
            leave(instance, () => send(instance, index, body, timeoutMs, resolve))
          }),
      }
    }
  }

  function send(
    instance: Instance,
    index: number,
    body: string,
    timeoutMs: number,
    resolve: (posted: HttpAnswer) => void,
  ) {
    const node = nodes[index]
    if (!node) throw new Error(`no node ${index}`)
    const json = JSON.parse(body) as Call | readonly Call[]
    const calls = Array.isArray(json) ? (json as readonly Call[]) : [json as Call]
    const raws = calls.filter(isSend).map(({ params }) => String(params[0]) as Hex)
    if (raws.length > 0) witness.leaving(instance, raws)
    const ofSend = raws.length > 0 ? sendDice.weighted(network.sendOutcomeOdds) : 'answered'
    const outcome = ofSend === 'answered' ? dice.weighted(network.outcomeOdds[index] ?? allAnswered) : ofSend
    for (const call of calls) witness.estimates?.requested(instance, index, call)
    const latency = () => latencyOf(index)
    const thereMs = latency()
    const backMs = latency()
    history.note(`p${instance.id} > n${index} ${inShort(calls)}${outcome === 'answered' ? '' : ` (${outcome})`}`)
    const hear = (afterMs: number, posted: () => HttpAnswer) => {
      const arrived = () => {
        const answer = posted()
        noteHeard(answer)
        resolve(answer)
      }
      timeline.after(afterMs, () => leave(instance, arrived))
    }
    const noteHeard = (answer: HttpAnswer) => {
      if (answer.kind !== 'body' || (!witness.estimates && !witness.patience)) return
      for (const member of [answer.json].flat() as readonly (Member | null)[]) {
        const call = calls.find(({ id }) => id === member?.id)
        if (call) witness.estimates?.heard(instance, index, call, member?.result)
        if (call && member) witness.patience?.heard(instance, call, member)
      }
    }
    const unknown = (message: string) => (): HttpAnswer => ({ kind: 'unknown', message })
    const page = (status: number) => (): HttpAnswer => ({ kind: 'unknown', status, message: `HTTP ${status}` })
    const success = (content: unknown) => (): HttpAnswer => ({ kind: 'body', status: 200, json: content })
    const arrive = (afterMs: number, then: (members: readonly Member[]) => void) => {
      timeline.after(afterMs, () => {
        const backend = backendOf(node)
        then(calls.map((call) => answerOf(backend, call)))
      })
    }
    const reply = (members: readonly Member[]): HttpAnswer => success(Array.isArray(json) ? members : members[0])()
    const toNobody = (members: readonly Member[]) => {
      if (calls.some((call, index) => isSend(call) && members[index]?.result !== undefined)) witness.unheard()
    }
    const refuse = (refusal: Refusal) => {
      if (batchDice.chance(0.3)) arrive(thereMs, toNobody)
      hear(thereMs + backMs, () => postedBy(refusal, calls))
    }
    const limit = batchLimits[index]
    const counted = limit?.of === 'sends' ? raws.length : calls.length
    if (limit && counted > limit.most && reachesGateway.includes(outcome)) return refuse(limit.refusal)

    switch (outcome) {
      case 'answered':
        return arrive(thereMs, (members) => hear(backMs, () => reply(members)))
      case 'doubled': {
        // A proxy tried again: the answer is either attempt's.
        const second = dice.chance(0.5)
        arrive(thereMs, (members) => (second ? undefined : hear(backMs, () => reply(members))))
        return arrive(thereMs + latency() * 4, (members) => (second ? hear(backMs, () => reply(members)) : undefined))
      }
      case 'refused':
        return hear(thereMs, () => ({ kind: 'unsent', message: 'no connection (ECONNREFUSED)' }))
      case 'lost':
        return hear(dice.chance(0.5) ? timeoutMs : thereMs, unknown('the connection failed (ECONNRESET)'))
      case 'unanswered':
        arrive(thereMs, toNobody)
        return hear(dice.chance(0.5) ? timeoutMs : thereMs + backMs, unknown(`no answer within ${timeoutMs} ms`))
      case 'late':
        arrive(timeoutMs + dice.between(0, 20_000), toNobody)
        return hear(timeoutMs, unknown(`no answer within ${timeoutMs} ms`))
      case 'limited':
        return hear(thereMs, page(429))
      case 'limitedInside': {
        const error = { code: dice.pick([429, -32005]), message: 'Too Many Requests' }
        const whole = dice.chance(0.5)
        const members = calls.map(({ id }): Member => ({ jsonrpc: '2.0', id, error }))
        return hear(thereMs, () => (whole ? success({ jsonrpc: '2.0', id: null, error })() : reply(members)))
      }
      case 'unbatched':
        if (calls.length > 1) return refuse(batchDice.pick(refusals))
        return arrive(thereMs, (members) => hear(backMs, () => reply(members)))
      case 'partial':
        return arrive(thereMs, (members) => {
          const some = Array.isArray(json) ? members.filter(() => dice.chance(0.6)) : members
          hear(backMs, () => reply(some))
        })
      case 'garbage':
        arrive(thereMs, toNobody)
        return hear(thereMs + backMs, dice.chance(0.5) ? page(batchDice.pick([400, 403, 500, 502])) : success('what?'))
    }
  }

  /** True, unless this node lies, lies are not over, and this one is about the call. */
  function answerOf(node: SimNode, call: Call): Member {
    if (call.method === 'eth_getBlockReceipts') return receiptsOfBlock(node, call, answerOf)
    let member = answer(world, node, call)
    witness.estimates?.estimated(call, member.result)
    witness.patience?.answered(node, call, member)
    if (liar?.node !== node.index || witness.isTruthful()) return member
    for (const lie of liar.lies) {
      if (!lieDice.chance(lie.share) || (lie.kind === 'highPrice' && !witness.knowsPrices())) continue
      const claimed = lies[lie.kind](world, node, call, member, lieDice, lie)
      if (claimed === member) continue
      history.note(`n${node.index} lies about ${call.method}`)
      witness.lied(lie.kind, call, member, claimed)
      member = claimed
    }
    return member
  }

  function latencyOf(index: number): number {
    const isSlow = !network.isPrompt && dice.chance(0.05)
    if (isSlow) return dice.between(200, slowMsMax)
    const usualMs = latenciesMs?.[index]
    if (usualMs === undefined) return dice.between(1, 120)
    // Some requests overtake others, as on any way.
    return network.isPrompt ? usualMs : usualMs * (dice.between(80, 120) / 100)
  }

  return network
}

/** The longest that a request, or an answer, is on its way. */
export const slowMsMax = 6_000

const reachesGateway: readonly RequestOutcome[] = ['answered', 'doubled', 'partial']

function postedBy(refusal: Refusal, calls: readonly Call[]): HttpAnswer {
  const { status } = refusal
  try {
    return { kind: 'body', status, json: JSON.parse(refusal.body(calls)) }
  } catch {
    return { kind: 'unknown', status, message: `HTTP ${status}` }
  }
}

export function isSend({ method }: Call): boolean {
  return method === 'eth_sendRawTransaction' || method === 'eth_sendRawTransactionSync'
}

const shorts = new Map<string, string>()

function shortOf(method: string): string {
  const known = shorts.get(method) ?? method.replace(/^eth_(get)?/, '')
  shorts.set(method, known)
  return known
}

function inShort(calls: readonly Call[]): string {
  const counts = new Map<string, number>()
  for (const { method } of calls) {
    const name = shortOf(method)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => (count > 1 ? `${name}×${count}` : name)).join(' ')
}
