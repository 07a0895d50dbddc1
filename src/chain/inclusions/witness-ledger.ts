// The words of the witnesses on each claim, and for how long only one of them has answered.
import { LRUCache } from 'lru-cache'
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import { type Charge, feesPaid, isSameCharge } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { enoughOf, needsReceipt, type Testimony, type WitnessClaim, witnessesNeeded } from '../../domain/witness.ts'
import type { Clock } from '../../ops/clock.ts'
import { measureSilence, type Silence } from '../nodes/silence.ts'
import type { View, WitnessAnswer } from './witness-view.ts'

/** The word of one provider. */
export type Word = WitnessAnswer

/** Words other than `silent`, by provider. */
export type Heard = ReadonlyMap<string, Word>

type Said = Pick<Testimony, 'shownBy' | 'listedBy' | 'refutedBy' | 'unlistedBy' | 'elsewhereBy'>

export interface WitnessLedger {
  /** `tag`: the witnesses' own tags count. Words heard without it are another entry's. */
  entryOf(claim: WitnessClaim, isFinal: boolean, tag?: FinalityTag): Entry
  /** Whether so many show it that no witness is called again. */
  isSettled(entry: Entry): boolean
  /** Whether the claim's witnesses have to be called now, or again. */
  isDue(entry: Entry): boolean
  /** Whether so many refuted it that a repeated one is not believed. */
  isRefuted(claim: WitnessClaim): boolean
  /** Whether that holds of any claim about this spender. */
  hasRefuted(spender: Hash): boolean
  /** The outcome of a reading under this head. */
  learn(entry: Entry, heard: Heard, head: BlockNumber): void
  testimony(entry: Entry, head: BlockNumber): Testimony
  single(): SingleWitness | undefined
}

/** The words about one claim. */
export interface Entry {
  readonly claim: WitnessClaim
  readonly tag: FinalityTag | undefined
  /** The block counts as final. Before that, another block at its height is no contradiction: one of the two is replaced. */
  isFinal: boolean
  /** The last word of each provider, and when it came, by `clock.elapsed()`. Once it is settled, only those without the spender. */
  heard: ReadonlyMap<string, Word & { readonly at: number }>
  /** The words by what they say, counted once for each reading, as each step reads them of all claims. */
  said: Said
  /** The charge that two words have. */
  charge?: Charge | undefined
  /** Absent before anybody was silent. */
  silence?: Silence
  /** Of one that lists the spender, and gives no receipt. Absent before that. */
  receiptless?: Silence
  readings: number
  /** When the witnesses are called again, by `clock.elapsed()`. */
  dueAt: number
}

/** The only endpoint that answers, while all endpoints of other providers are silent. */
interface SingleWitness {
  /** The endpoint's index in the configuration. */
  readonly endpoint: number
  readonly silentMs: number
}

interface WitnessLedgerOptions {
  /** How many providers the network has. */
  readonly providers: number
  readonly clock: Clock
  /** Called once for each claim about which endpoints contradict each other. */
  readonly contradicted: (claim: WitnessClaim, words: readonly Word[]) => void
  /** Called after each reading that anybody answered. */
  readonly silent: (ms: number) => void
}

const rememberedMax = 10_000
/** The most claims of one spender. Its block may be replaced, and endpoints that lie make up more. */
const claimsMax = 8
/** The most silence that counts between two readings: only time during which the others were called counts. */
const countedMaxMs = 30_000
/**
 * How long the word of one that is silent since stands in a contradiction: if each lost answer ended it, a verdict would come and go. An
 * endpoint that is gone contradicts nobody for good.
 */
const keptDeniedMs = 60_000
/** The time between two readings about one claim. It doubles. A contradiction seldom ends by itself. */
const againMs = { first: 1_000, most: 5_000, mostDenied: 15_000 }

export function openWitnessLedger({ providers, clock, contradicted, silent }: WitnessLedgerOptions): WitnessLedger {
  // By the spender's hash, which most have one claim about.
  const entries = new LRUCache<Hash, readonly Entry[]>({ max: rememberedMax })
  const refuted = new LRUCache<string, true>({ max: rememberedMax })
  const reported = new LRUCache<string, true>({ max: rememberedMax })
  // Where a node has no receipts for long, it may show its lists all the same.
  const measure = () => measureSilence(clock, countedMaxMs)
  const ofAny = { listings: measure(), receipts: measure(), receiptless: measure() }
  const silenceOfAny = (claim: WitnessClaim) => ofAny[needsReceipt(claim) ? 'receipts' : 'listings']
  const enough = enoughOf(providers)
  let lastHeard: number | undefined

  function entryOf(claim: WitnessClaim, isFinal: boolean, tag?: FinalityTag): Entry {
    const ofSpender = entries.get(claim.hash) ?? []
    const known = ofSpender.find((entry) => isSame(entry.claim, claim) && entry.tag === tag)
    if (known) {
      known.isFinal = isFinal
      return known
    }
    const opened = openEntry({ claim, tag, isFinal }, ofSpender)
    entries.set(claim.hash, [opened, ...ofSpender].slice(0, claimsMax))
    return opened
  }

  const silenceMs = () => Math.max(ofAny.listings.ms(), ofAny.receipts.ms())
  const isSilent = (said: Said) => fullWordsIn(said) < enough
  const isSettled = ({ said }: Pick<Entry, 'said'>) => said.shownBy.length >= enough

  return {
    entryOf,
    isSettled,
    isDue: (entry) => entry.dueAt <= clock.elapsed() && !isSettled(entry),
    isRefuted: (claim) => refuted.size > 0 && refuted.has(keyOf(claim)),
    hasRefuted: (spender) => refuted.has(spender),
    learn(entry, heard, head) {
      const { claim } = entry
      const at = clock.elapsed()
      const known = withWords(entry, heard, at)
      const words = [...known.values()]
      const said = saidBy(words)
      entry.said = said
      entry.heard = isSettled(entry) ? unlistedIn(known) : known
      entry.charge = chargeIn(words)
      // Without any answer, nobody is silent beside another.
      const [first] = heard.values()
      if (first) {
        const silentNow = isSilent(saidBy([...heard.values()]))
        if (silentNow) entry.silence ??= measure()
        entry.silence?.note(silentNow)
        silenceOfAny(claim).note(silentNow)
        noteReceiptless(entry, silentNow, { ofAny: ofAny.receiptless, measure })
        lastHeard = first.endpoint
        silent(silenceMs())
      }
      callAgain(entry, at)
      // For good: the endpoint that made it up would go on to show it, and keep the true inclusion from being found.
      if (said.shownBy.length < witnessesNeeded && said.refutedBy.length >= enough) {
        refuted.set(keyOf(claim), true)
        refuted.set(claim.hash, true)
        // The same endpoint shows it in the body, too, where no result is.
        if (said.unlistedBy.length >= enough) refuted.set(keyOf({ hash: claim.hash, block: claim.block }), true)
      }
      const isLasting = isDeniedForGood(entry, head)
      const key = `${isLasting} ${keyOf(claim)}`
      if (reported.has(key) || said.shownBy.length === 0 || !(isLasting || isChargeDenied(entry, words))) return
      reported.set(key, true)
      contradicted(claim, words)
    },
    single() {
      const silentMs = silenceMs()
      return lastHeard === undefined || silentMs === 0 ? undefined : { endpoint: lastHeard, silentMs }
    },
    testimony({ claim, said, charge, silence, receiptless }, head) {
      const [own, any] = said.listedBy.length > 0 ? [receiptless, ofAny.receiptless] : [silence, silenceOfAny(claim)]
      const silentMs = isSilent(said) ? Math.max(own?.ms() ?? 0, any.ms()) : 0
      const laterBlocks = Math.max(0, head - claim.block.number)
      return { ...said, ...(charge && { charge }), providers, silentMs, laterBlocks }
    },
  }
}

/** How many said more than that the block lists the spender, where the claim needs the receipt. */
function fullWordsIn({ shownBy, refutedBy, elsewhereBy }: Said): number {
  return shownBy.length + refutedBy.length + elsewhereBy.length
}

/** Sets when the witnesses of a claim that were called now are called again. */
function callAgain(entry: Entry, now: number): void {
  const most = isDenied(entry) ? againMs.mostDenied : againMs.most
  entry.dueAt = now + Math.min(most, againMs.first * 2 ** entry.readings)
  entry.readings += 1
}

/**
 * Notes whether an endpoint lists the spender without a receipt. One that comes back from a long silence may list it a moment before it has the
 * receipt, so its list begins a time of its own.
 */
function noteReceiptless(
  entry: Entry,
  silentNow: boolean,
  { ofAny, measure }: { readonly ofAny: Silence; readonly measure: () => Silence },
): void {
  const isListed = entry.said.listedBy.length > 0
  if (isListed && silentNow) entry.receiptless ??= measure()
  entry.receiptless?.note(isListed && silentNow)
  if (isListed || !silentNow) ofAny.note(silentNow)
}

/** A witness that answered before and is silent now keeps its word. */
function withWords(entry: Entry, heard: Heard, at: number): Entry['heard'] {
  const kept = [...entry.heard].filter(([, word]) => !isDenied(entry) || at - word.at <= keptDeniedMs)
  return new Map([...kept, ...[...heard].map(([provider, word]) => [provider, { ...word, at }] as const)])
}

/** The charge that two endpoints have which show the spender. Two that leave the price out name none. */
function chargeIn(words: readonly Word[]): Charge | undefined {
  const charges = chargesIn(words).filter((charge) => feesPaid(charge) !== undefined)
  return charges.find((one, index) => charges.some((other, at) => at > index && isSameCharge(one, other)))
}

/** Whether two endpoints have a charge, and no two have the same. */
function isChargeDenied({ charge }: Entry, words: readonly Word[]): boolean {
  return !charge && chargesIn(words).length >= witnessesNeeded
}

function chargesIn(words: readonly Word[]): readonly Charge[] {
  return words.flatMap(({ view, charge }) => (view === 'shown' && charge ? [charge] : []))
}

/** Counted words: most claims of a network have the same few, and each combination is counted once. */
const counted = new LRUCache<string, Said>({ max: 1_000 })

/** The endpoints, by index, that show the spender, that only list it, and so on. */
export function saidBy(words: readonly Word[]): Said {
  const key = words.map(({ view, endpoint }) => `${view} ${endpoint}`).join()
  const known = counted.get(key) ?? countOf(words)
  counted.set(key, known)
  return known
}

function countOf(words: readonly Word[]): Said {
  const by: Record<keyof Said, number[]> = {
    ...{ shownBy: [], listedBy: [], refutedBy: [], unlistedBy: [], elsewhereBy: [] },
  }
  for (const { view, endpoint } of words) {
    if (view !== 'silent') by[saidAs[view]].push(endpoint)
    if (view === 'unlisted') by.unlistedBy.push(endpoint)
  }
  for (const endpoints of Object.values(by)) endpoints.sort((one, two) => one - two)
  return by
}

const saidAs: Record<Exclude<View, 'silent'>, keyof Said> = {
  shown: 'shownBy',
  listed: 'listedBy',
  refuted: 'refutedBy',
  unlisted: 'refutedBy',
  elsewhere: 'elsewhereBy',
}

/** The words that the block lacks its spender hold for any result and any tag: a contradiction does not end with its claim. */
function openEntry(opened: Pick<Entry, 'claim' | 'tag' | 'isFinal'>, ofSpender: readonly Entry[]): Entry {
  const ofBlock = ofSpender.filter(({ claim }) => claim.block.hash === opened.claim.block.hash)
  const heard = ofBlock.length > 0 ? unlistedIn(ofBlock.flatMap((each) => [...each.heard])) : none
  return { ...opened, heard, said: saidBy([...heard.values()]), readings: 0, dueAt: 0 }
}

const none: Entry['heard'] = new Map()

function unlistedIn(heard: Iterable<readonly [string, Word & { readonly at: number }]>): Entry['heard'] {
  const unlisted = [...heard].filter(([, { view }]) => view === 'unlisted')
  return unlisted.length > 0 ? new Map(unlisted) : none
}

/** Whether a witness contradicts the endpoint that reported it. */
export function isDenied({ said: { refutedBy, elsewhereBy } }: Entry): boolean {
  return refutedBy.length + elsewhereBy.length > 0
}

/** The hash of the newest block may change yet, with each flashblock above all, and later ones with a reorganization. */
function isDeniedForGood(entry: Entry, head: BlockNumber): boolean {
  const isYoung = !entry.isFinal || head <= entry.claim.block.number
  return entry.said.refutedBy.length > 0 || (isDenied(entry) && !isYoung)
}

/** Whether two claims are the same: another block, or another result, is another claim. */
function isSame(one: WitnessClaim, other: WitnessClaim): boolean {
  const isSameResult = one.succeeded === other.succeeded && one.isPriced === other.isPriced
  return one.block.hash === other.block.hash && isSameResult
}

function keyOf({ hash, block, succeeded }: WitnessClaim): string {
  return `${hash} ${block.hash} ${succeeded}`
}
