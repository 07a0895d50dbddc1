// Believes estimates of gas by two providers. One false estimate would cost a payload, which then gets no nonce or runs out of gas; or
// money, where the limit is charged.
import { hash } from 'node:crypto'
import type { Address, Hash, TransactionId } from '../../domain/ids.ts'
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import { aloneAfterMs } from '../../domain/second-witness.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { enoughOf } from '../../domain/witness.ts'
import type { Clock } from '../../ops/clock.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { askProviders, isAlike, middleFigure } from '../nodes/ask-providers.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { measureSilence, type Silence } from '../nodes/silence.ts'
import { type EstimateRules, estimateBy, type GasLimits, type Said } from './estimate-gas.ts'
import { type Failures, rememberFailures } from './remember-failures.ts'

type Estimated = ReadonlyMap<TransactionId, Estimate>

/** An estimate that is missing is none yet. */
export interface Estimates {
  /** By two providers, and a third where they differ. Never rejects. */
  read(requests: readonly EstimateRequest[], at: TrackedHead): Promise<Estimated>
  /**
   * Asks again about payloads that would fail, where a block mined a transaction of their account lately: they may need it, and the
   * endpoint may lag behind that block. `minedIn`: the newest such block, of those that this observation found.
   */
  settle(
    requests: readonly EstimateRequest[],
    read: Estimated,
    at: TrackedHead,
    minedIn: BlockNumber | undefined,
  ): Promise<Estimated>
}

interface BelieveEstimates {
  readonly endpoints: Endpoints
  readonly providers: number
  readonly profile: EstimateRules
  readonly limits: GasLimits
  readonly clock: Pick<Clock, 'elapsed'>
}

/** Estimates of honest nodes differ by less: geth's are up to 1.5 percent too high, and state moves between two answers. */
const alikeFactor = 1.25
/** The estimates kept: far more than one head needs where heads follow each other. */
const keptMax = 10_000
/** A load balancer's slowest backend has a block by then. */
const lagMs = 15_000

export function believingEstimates({ endpoints, providers, profile, limits, clock }: BelieveEstimates): Estimates {
  const silence = measureSilence(clock)
  const failures = rememberFailures(clock)
  const mined = new Map<Address, { readonly block: BlockNumber; readonly at: number }>()
  let under: Hash | undefined
  let known = new Map<string, Estimate>()

  const ask = (request: EstimateRequest, { by }: TrackedHead, block?: BlockNumber): Promise<readonly Said[]> => {
    const rules = { ...profile, gasFigures: limits.figures() }
    const estimate = (endpoint: TrackedHead['by']) => estimateBy(endpoint, request, rules, limits.most(), block)
    return askProviders(endpoints, by, estimate, isEnough)
  }

  async function estimate(request: EstimateRequest, at: TrackedHead): Promise<Estimate | undefined> {
    const key = hash('sha256', `${request.from} ${request.to} ${request.value} ${request.data} ${listed(request)}`)
    const last = known.get(key)
    if (last) return last
    const found = believed(await ask(request, at), { request, providers, profile, silence, failures })
    // A payload that fails is estimated again: it may only depend on a transaction ahead of it, and some nodes estimate on top of their
    // pool.
    if ((found?.kind === 'gas' || found?.kind === 'differ') && under === at.head.hash) known.set(key, found)
    return found
  }

  function minedLately(address: Address): BlockNumber | undefined {
    const last = mined.get(address)
    return last && clock.elapsed() - last.at < lagMs ? last.block : undefined
  }

  async function asOf(block: BlockNumber, request: EstimateRequest, at: TrackedHead): Promise<Estimate | undefined> {
    const said = await ask(request, at, block)
    // A node without the block says so in some words. It has the block soon.
    const isComplete = said.length >= enoughOf(providers) && said.every(({ kind }) => kind !== 'fails')
    return isComplete ? believed(said, { request, providers, profile, silence, failures }) : undefined
  }

  return {
    async read(requests, at) {
      if (under !== at.head.hash || known.size >= keptMax) {
        under = at.head.hash
        known = new Map()
      }
      return estimatesOf(requests, (request) => estimate(request, at))
    },
    async settle(requests, read, at, minedIn) {
      const [from] = requests.map((request) => request.from)
      if (from === undefined) return read
      if (minedIn !== undefined && minedIn > (mined.get(from)?.block ?? -1)) {
        if (mined.size >= keptMax) mined.clear()
        mined.set(from, { block: minedIn, at: clock.elapsed() })
      }
      const block = minedLately(from)
      if (block === undefined) return read
      return estimatesOf(requests, async (request) => {
        const first = read.get(request.transactionId)
        return first?.kind === 'reverts' || first?.kind === 'fails' ? asOf(block, request, at) : first
      })
    },
  }
}

async function estimatesOf(
  requests: readonly EstimateRequest[],
  estimate: (request: EstimateRequest) => Promise<Estimate | undefined>,
): Promise<Estimated> {
  const estimates = await Promise.all(requests.map(estimate))
  return new Map(
    requests.flatMap(({ transactionId }, index) => {
      const found = estimates[index]
      return found ? [[transactionId, found] as const] : []
    }),
  )
}

function listed({ accessList }: EstimateRequest): string {
  return accessList ? JSON.stringify(accessList) : ''
}

/** Whether a third provider would change nothing. */
function isEnough(said: readonly Said[]): boolean {
  const [one, other, third] = said
  if (!one || !other) return false
  if (third) return true
  if (one.kind !== 'gas' || other.kind !== 'gas') return one.kind !== 'gas' && other.kind !== 'gas'
  return isAlike(one.gas, other.gas, alikeFactor)
}

interface Believing extends Pick<BelieveEstimates, 'providers' | 'profile'> {
  readonly request: EstimateRequest
  readonly silence: Silence
  readonly failures: Failures
}

/** Undefined: not known yet. */
function believed(said: readonly Said[], believing: Believing): Estimate | undefined {
  const ofGas = said.filter((each) => each.kind === 'gas')
  const ofFailure = said.filter((each) => each.kind !== 'gas')
  // Whatever another endpoint says ends its silence. Without any answer, nobody is silent beside another.
  const isAlone = said.length < enoughOf(believing.providers)
  if (said.length > 0) believing.silence.note(isAlone)
  const isTooFew = isAlone && believing.silence.ms() < aloneAfterMs
  if (ofGas.length === 0 || ofFailure.length > 1) return isTooFew ? undefined : failure(ofFailure, believing)
  believing.failures.forget(believing.request.transactionId)
  const isCharged = believing.profile.charges === 'gas_limit'
  // One provider's word would be charged in full.
  if (isCharged && (isTooFew || (ofGas.length === 1 && ofFailure.length === 1))) return undefined
  const middle = middleFigure(
    ofGas.map(({ gas }) => gas),
    alikeFactor,
  )
  const chosen = ofGas.find(({ gas }) => gas === middle?.figure)
  if (!middle || !chosen) return undefined
  const { figure, lower } = middle
  if (lower === undefined) return chosen
  return isCharged ? { kind: 'differ', lower, higher: figure } : { ...chosen, lower }
}

/** One false word must not end a payload, which then gets no nonce: a second provider's counts, or the only one's after ten minutes. */
function failure(
  said: readonly Exclude<Said, { kind: 'gas' }>[],
  { request, failures }: Believing,
): Estimate | undefined {
  const [first] = said
  if (!first) return undefined
  const reverted = said.find(({ kind }) => kind === 'reverts')
  if (reverted?.kind === 'reverts') return reverted
  const isLasting = failures.note(
    request.transactionId,
    said.map(({ reason }) => reason),
  )
  return { kind: 'fails', reason: first.reason, isLasting }
}
