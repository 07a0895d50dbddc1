// The words of the witnesses on each claim, and for how long only one of them has answered.
import { LRUCache } from 'lru-cache'
import type { BlockNumber } from '../../domain/units.ts'
import type { Testimony, WitnessClaim } from '../../domain/witness.ts'
import type { Clock } from '../../ops/clock.ts'
import { measureSilence, type Silence } from './measure-silence.ts'
import type { View, WitnessAnswer } from './witness-view.ts'

/** The word of one provider. */
export interface Word extends WitnessAnswer {
  /** The index of the endpoint that gave it. */
  readonly endpoint: number
}

/** Words other than `silent`, by provider. */
export type Heard = ReadonlyMap<string, Word>

export type Said = Pick<Testimony, 'shownBy' | 'listedBy' | 'refutedBy' | 'elsewhereBy'>

export interface WitnessLedger {
  /** Its witnesses have to be called now, or again. */
  isDue(claim: WitnessClaim): boolean
  /** They contradict each other. */
  isDenied(claim: WitnessClaim): boolean
  /** Whether so many refuted it that a repeated one is not believed. */
  isRefuted(claim: WitnessClaim): boolean
  /** The outcome of a reading under this head. */
  learn(claim: WitnessClaim, heard: Heard, head: BlockNumber): void
  testimony(claim: WitnessClaim, head: BlockNumber): Testimony
  single(): SingleWitness | undefined
}

/** While all endpoints but those of one provider are silent. */
export interface SingleWitness {
  /** Its index in the configuration. */
  readonly endpoint: number
  readonly silentMs: number
}

export interface WitnessLedgerOptions {
  /** How many providers the network has. */
  readonly providers: number
  readonly clock: Clock
  /** Called once for each claim about which endpoints contradict each other. */
  readonly contradicted: (claim: WitnessClaim, words: readonly Word[]) => void
  /** Called after each reading that anybody answered. */
  readonly silent: (ms: number) => void
}

/** Further ones are not called. */
export const witnessesNeeded = 2

interface Entry {
  readonly heard: Map<string, Word>
  readonly silence: Silence
  readings: number
  /** By `clock.elapsed()`. */
  dueAt: number
  isReported: boolean
}

const rememberedMax = 10_000
/** Between two readings about one claim. It doubles. A contradiction seldom ends by itself. */
const againMs = { first: 1_000, most: 5_000, mostDenied: 15_000 }

export function openWitnessLedger({ providers, clock, contradicted, silent }: WitnessLedgerOptions): WitnessLedger {
  const entries = new LRUCache<string, Entry>({ max: rememberedMax })
  const refuted = new LRUCache<string, true>({ max: rememberedMax })
  // Where a node has no receipts for long, it may show its lists all the same.
  const ofAny = { listings: measureSilence(clock), results: measureSilence(clock) }
  const silenceOfAny = ({ succeeded }: WitnessClaim) => ofAny[succeeded === undefined ? 'listings' : 'results']
  const enough = Math.min(witnessesNeeded, providers)
  let lastHeard: number | undefined

  function entryOf(claim: WitnessClaim): Entry {
    const known = entries.get(keyOf(claim))
    if (known) return known
    const opened: Entry = {
      heard: new Map(),
      silence: measureSilence(clock),
      readings: 0,
      dueAt: 0,
      isReported: false,
    }
    entries.set(keyOf(claim), opened)
    return opened
  }

  const silenceMs = () => Math.max(ofAny.listings.ms(), ofAny.results.ms())
  /** Without the result, a list is only a part of the answer. */
  const isSilent = (heard: Heard) => heard.size - saidIn(heard).listedBy.length < enough
  const isDenied = (claim: WitnessClaim) => deniedBy(saidIn(entryOf(claim).heard)).length > 0

  return {
    isDenied,
    isDue(claim) {
      const { dueAt, heard } = entryOf(claim)
      return dueAt <= clock.elapsed() && saidIn(heard).shownBy.length < enough
    },
    isRefuted: (claim) => refuted.has(keyOf(claim)),
    learn(claim, heard, head) {
      const entry = entryOf(claim)
      // A witness that answered before and is silent now keeps its word, unless endpoints contradict each other.
      if (isDenied(claim)) entry.heard.clear()
      for (const [provider, word] of heard) entry.heard.set(provider, word)
      // Without any answer, nobody is silent beside another.
      if (heard.size > 0) {
        entry.silence.note(isSilent(heard))
        silenceOfAny(claim).note(isSilent(heard))
        lastHeard = [...heard.values()][0]?.endpoint
        silent(silenceMs())
      }
      const most = isDenied(claim) ? againMs.mostDenied : againMs.most
      entry.dueAt = clock.elapsed() + Math.min(most, againMs.first * 2 ** entry.readings)
      entry.readings += 1
      const said = saidIn(entry.heard)
      // For good: the endpoint that made it up would go on to show it, and keep the true inclusion from being found.
      if (said.shownBy.length < witnessesNeeded && said.refutedBy.length >= enough) {
        refuted.set(keyOf(claim), true)
        // The same endpoint shows it in the body, too, where no result is.
        if (unlistedIn(entry.heard) >= enough) refuted.set(keyOf({ hash: claim.hash, block: claim.block }), true)
      }
      // The hash of the newest block may change yet, with each flashblock above all.
      const isYoung = head <= claim.block.number && said.refutedBy.length === 0
      if (entry.isReported || said.shownBy.length === 0 || deniedBy(said).length === 0 || isYoung) return
      entry.isReported = true
      contradicted(claim, [...entry.heard.values()])
    },
    single() {
      const silentMs = silenceMs()
      return lastHeard === undefined || silentMs === 0 ? undefined : { endpoint: lastHeard, silentMs }
    },
    testimony(claim, head) {
      const { heard, silence } = entryOf(claim)
      const silentMs = isSilent(heard) ? Math.max(silence.ms(), silenceOfAny(claim).ms()) : 0
      return { ...saidIn(heard), providers, silentMs, laterBlocks: Math.max(0, head - claim.block.number) }
    },
  }
}

/** By index, those that show it, and so on. */
export function saidIn(heard: Heard = new Map()): Said {
  return saidBy([...heard.values()])
}

/** How many show the block without the spender. */
function unlistedIn(heard: Heard): number {
  return [...heard.values()].filter(({ view }) => view === 'unlisted').length
}

export function saidBy(words: readonly Word[]): Said {
  const by = (...wanted: readonly View[]) =>
    words.flatMap(({ view, endpoint }) => (wanted.includes(view) ? [endpoint] : [])).sort((one, two) => one - two)
  return {
    shownBy: by('shown'),
    listedBy: by('listed'),
    refutedBy: by('refuted', 'unlisted'),
    elsewhereBy: by('elsewhere'),
  }
}

export function deniedBy({ refutedBy, elsewhereBy }: Said): readonly number[] {
  return [...refutedBy, ...elsewhereBy]
}

/** Another block, or another result, is another claim. */
export function keyOf({ hash, block, succeeded }: WitnessClaim): string {
  return `${hash} ${block.hash} ${succeeded}`
}
