// Calls the endpoints as witnesses: does a block list the spender of a nonce, and with which result? domain/witness.ts decides how many
// have to agree. Only transactions that are about to be final need them.
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Testimony, WitnessClaim } from '../../domain/witness.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { openWitnessViews, type View, type WitnessViews } from './witness-view.ts'

export interface Witnesses extends Pick<WitnessViews, 'reported'> {
  /** Whether endpoints have refuted this claim: a repeated one is not believed. */
  isRefuted(claim: WitnessClaim): boolean
  /** By the spender's hash. `tag`: a witness counts only if its own block of this tag is not below. Never rejects. */
  call(claims: readonly WitnessClaim[], at: TrackedHead, tag?: FinalityTag): Promise<ReadonlyMap<Hash, Testimony>>
}

export interface CallWitnesses {
  readonly endpoints: Endpoints
  /** How many providers the network has. */
  readonly providers: number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
}

type Said = Pick<Testimony, 'shownBy' | 'refutedBy' | 'elsewhereBy'>

/** Views other than `silent`, by hash and provider, and the endpoint that gave each. */
type Heard = ReadonlyMap<Hash, Map<string, readonly [View, number]>>

/** Further ones are not called. */
const needed = 2
const rememberedMax = 10_000

export function callingWitnesses({ endpoints, providers, clock, logger, metrics }: CallWitnesses): Witnesses {
  const views = openWitnessViews()
  const reported = new Set<string>()
  const refuted = new Set<string>()
  const silenceAfter = openSilence(providers, clock)

  /** `claims` lie in one block. One endpoint of a provider after the other, until enough of them show every claim. */
  async function callAbout(
    claims: readonly WitnessClaim[],
    at: TrackedHead,
    tag: FinalityTag | undefined,
  ): Promise<Heard> {
    const [first] = claims
    const heard = new Map(claims.map(({ hash }) => [hash, new Map<string, readonly [View, number]>()]))
    if (!first) return heard
    const requested = { block: first.block, height: at.head.number, tag }
    for (const endpoint of endpoints.order(at.by)) {
      const { index, provider } = endpoint
      const open = claims.filter(({ hash }) => {
        const known = heard.get(hash)
        return known !== undefined && !known.has(provider) && indexesOf(known, 'shown').length < needed
      })
      if (open.length === 0) continue
      for (const [hash, view] of await views.of(endpoint, requested, open)) {
        if (view !== 'silent') heard.get(hash)?.set(provider, [view, index])
      }
    }
    return heard
  }

  /** For good: a false word of one endpoint would otherwise keep a true inclusion from being found. */
  function isVoid({ shownBy, refutedBy }: Said): boolean {
    return shownBy.length < needed && refutedBy.length >= Math.min(needed, providers)
  }

  function report({ hash, block }: WitnessClaim, { shownBy, refutedBy, elsewhereBy }: Said): void {
    const deniedBy = [...refutedBy, ...elsewhereBy]
    if (deniedBy.length === 0 || shownBy.length === 0 || reported.has(hash)) return
    forgetMost(reported).add(hash)
    const facts = { hash, block: block.number, shown_by: shownBy, denied_by: deniedBy }
    logger.warn(facts, 'endpoints contradict each other about the spender of a nonce')
    for (const index of [...shownBy, ...deniedBy]) metrics.contradicted(index)
  }

  return {
    async call(claims, at, tag) {
      const blocks = Map.groupBy(claims, ({ block }) => block.hash)
      const heard = await Promise.all([...blocks.values()].map((each) => callAbout(each, at, tag)))
      const silenceOf = silenceAfter(heard)
      const byHash = new Map(heard.flatMap((each) => [...each]))
      return new Map(
        claims.map((claim) => {
          const known = byHash.get(claim.hash) ?? new Map()
          const said = {
            shownBy: indexesOf(known, 'shown'),
            refutedBy: indexesOf(known, 'refuted'),
            elsewhereBy: indexesOf(known, 'elsewhere'),
          }
          report(claim, said)
          if (said.refutedBy.length > 0) views.forget(claim)
          if (isVoid(said)) forgetMost(refuted).add(keyOf(claim))
          return [claim.hash, { ...said, providers, silentMs: silenceOf(claim.hash) }]
        }),
      )
    },
    reported: views.reported,
    isRefuted: (claim) => refuted.has(keyOf(claim)),
  }
}

/** How long only one provider has answered, about this spender or about any: after each call of the witnesses. */
function openSilence(providers: number, clock: Clock): (heard: readonly Heard[]) => (hash: Hash) => number {
  const since = new Map<Hash, number>()
  let sinceForAny: number | undefined
  return (heard) => {
    const now = clock.elapsed()
    const counts = heard.flatMap((each) => [...each].map(([hash, { size }]) => ({ hash, size })))
    if (since.size + counts.length > rememberedMax) since.clear()
    for (const { hash, size } of counts) {
      if (size >= Math.min(needed, providers)) since.delete(hash)
      else if (size > 0 && !since.has(hash)) since.set(hash, now)
    }
    if (counts.some(({ size }) => size >= Math.min(needed, providers))) sinceForAny = undefined
    else if (counts.some(({ size }) => size > 0)) sinceForAny ??= now
    return (hash) => now - Math.min(since.get(hash) ?? now, sinceForAny ?? now)
  }
}

/** Another block, or another result, is another claim. */
function keyOf({ hash, block, succeeded }: WitnessClaim): string {
  return `${hash} ${block.hash} ${succeeded}`
}

function forgetMost(remembered: Set<string>): Set<string> {
  if (remembered.size >= rememberedMax) remembered.clear()
  return remembered
}

function indexesOf(known: ReadonlyMap<string, readonly [View, number]>, wanted: View): readonly number[] {
  return [...known.values()].flatMap(([view, index]) => (view === wanted ? [index] : [])).sort((one, two) => one - two)
}
