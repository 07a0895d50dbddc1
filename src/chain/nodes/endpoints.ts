// Chooses the order in which a network's endpoints are tried. A dead endpoint never disables the network. Passes
// the reads of clients on in that order.
import { type ReplacementRule, strictestRule } from '../../domain/fees.ts'
import {
  type ChainRead,
  ChainUnavailable,
  type ForwardedAnswer,
  type ForwardedRead,
  type ReadAnswer,
} from '../chain.ts'
import type { Endpoint } from './endpoint.ts'

/** The result of one endpoint: a value, or why it failed, so that the next endpoint is tried. */
export type ReadResult<T> = { readonly value: T } | { readonly failed: string }

export interface Endpoints {
  /** Best first: fit before resting, then by weight in turn. `preferred` comes before the others that are fit. */
  order(preferred?: Endpoint): readonly Endpoint[]
  /** Endpoints that are fit, or all where none is, in the order of the configuration. */
  usable(): readonly Endpoint[]
  /** Endpoints that answer, also while they rest: an invented head makes honest ones lag, and answer about other blocks. */
  answering(): readonly Endpoint[]
  /** Tries one endpoint after the other until one returns a value. Rejects with ChainUnavailable when none does. */
  firstAnswer<T>(
    read: (endpoint: Endpoint) => Promise<ReadResult<T>>,
    preferred?: Endpoint,
  ): Promise<{ readonly value: T; readonly by: Endpoint }>
  /**
   * A rule that satisfies every endpoint, even one whose client is not identified yet: any of them may hold the rival.
   */
  rule(): ReplacementRule
  close(): Promise<void>
}

/** `given`: the rule of the network's profile, which counts before those of the clients. */
export function chooseAmong(all: readonly Endpoint[], given?: ReplacementRule): Endpoints {
  // Smooth weighted round robin: in every run of turns each endpoint gets its share, evenly spread, without randomness.
  const turns = new Map<Endpoint, number>(all.map((endpoint) => [endpoint, 0]))
  let introduced = false

  function nextInTurn(fit: readonly Endpoint[]): Endpoint | undefined {
    const weights = fit.reduce((sum, endpoint) => sum + endpoint.weight, 0)
    if (weights === 0) return fit[0]
    for (const endpoint of fit) turns.set(endpoint, (turns.get(endpoint) ?? 0) + endpoint.weight)
    const chosen = fit.reduce((best, endpoint) =>
      (turns.get(endpoint) ?? 0) > (turns.get(best) ?? 0) ? endpoint : best,
    )
    turns.set(chosen, (turns.get(chosen) ?? 0) - weights)
    return chosen
  }

  function order(preferred?: Endpoint): readonly Endpoint[] {
    const fit = all.filter((endpoint) => endpoint.fit())
    const resting = all.filter((endpoint) => !fit.includes(endpoint))
    if (fit.length > 0) for (const endpoint of resting) endpoint.probe()
    const first = preferred && fit.includes(preferred) ? preferred : nextInTurn(fit)
    const rest = fit.filter((endpoint) => endpoint !== first).sort((one, other) => other.weight - one.weight)
    const soonest = resting.sort((one, other) => one.restsUntil() - other.restsUntil())
    return [...(first ? [first] : []), ...rest, ...soonest]
  }

  return {
    order,
    usable() {
      const fit = all.filter((endpoint) => endpoint.fit())
      return fit.length > 0 ? fit : all
    },
    answering: () => all.filter((endpoint) => endpoint.answers()),
    async firstAnswer(read, preferred) {
      if (!introduced) {
        introduced = true
        for (const endpoint of all) void endpoint.ready()
      }
      const failures: string[] = []
      for (const endpoint of order(preferred)) {
        const unfit = await endpoint.ready()
        const result = unfit === undefined ? await read(endpoint) : { failed: unfit }
        if ('value' in result) return { value: result.value, by: endpoint }
        failures.push(`endpoint ${endpoint.index}: ${result.failed}`)
      }
      throw new ChainUnavailable(failures.join('; ') || 'the network has no endpoints')
    },
    rule() {
      if (given) return given
      const rules = all.map((endpoint) => endpoint.rule() ?? strictestRule)
      return rules.reduce(strictest, rules[0] ?? strictestRule)
    },
    close: async () => {
      await Promise.all(all.map((endpoint) => endpoint.close()))
    },
  }
}

export function othersThan(by: Endpoint, endpoints: Pick<Endpoints, 'order'>): readonly Endpoint[] {
  return endpoints.order(by).filter((endpoint) => endpoint !== by)
}

/** The answer of the first of these endpoints that is fit, serves this chain and gives one. */
export async function firstFitAnswer<T>(
  endpoints: readonly Endpoint[],
  read: (endpoint: Endpoint) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const endpoint of endpoints) {
    const isReady = endpoint.fit() && (await endpoint.ready()) === undefined
    const answer = isReady ? await read(endpoint) : undefined
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Satisfies both. */
function strictest(one: ReplacementRule, other: ReplacementRule): ReplacementRule {
  const measure = one.measure === other.measure ? one.measure : strictestRule.measure
  const { percent } = one.percent > other.percent ? one : other
  return { measure, percent }
}

/**
 * Passes a client's read on to one endpoint, and to the next one where that fails. Rejects with ChainUnavailable when no endpoint answers.
 * A node's error is an answer.
 */
export async function forwardRead(endpoints: Endpoints, read: ChainRead): Promise<ReadAnswer> {
  const { value } = await endpoints.firstAnswer<ReadAnswer>(async (endpoint) => {
    const answer = await endpoint.callOnOwnConnection(read)
    if (answer.kind === 'value') return { value: { value: answer.value } }
    if (answer.kind !== 'rpcError') return { failed: answer.message }
    const { code, message, data } = answer
    return { value: { error: { code, message, ...(data !== undefined && { data: endpoint.redacted(data) }) } } }
  })
  return value
}

/** Forwards a read as `forwardRead` does, with the result as bytes. */
export async function forward(endpoints: Endpoints, read: ForwardedRead): Promise<ForwardedAnswer> {
  const { value } = await endpoints.firstAnswer<ForwardedAnswer>((endpoint) => endpoint.forward(read))
  return value
}
