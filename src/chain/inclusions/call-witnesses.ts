// Calls the endpoints as witnesses: does a block list the spender of a nonce, and with which result? domain/witness.ts decides how many
// have to agree. Their answers come beside the steps: a slow endpoint
// makes a verdict late, and holds up nothing else.
import type { NoteContradiction } from '../../domain/contradiction.ts'
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { Charge } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { type Testimony, type WitnessClaim, witnessesNeeded } from '../../domain/witness.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import { waitBriefly } from '../../ops/within.ts'
import type { NamedBlock } from '../heads/read-tag.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import {
  type Entry,
  type Heard,
  isDenied,
  openWitnessLedger,
  saidBy,
  type WitnessLedger,
  type Word,
} from './witness-ledger.ts'
import { openWitnessViews, type WitnessViews } from './witness-view.ts'

export interface Witnesses extends Pick<WitnessViews, 'reported'>, Pick<WitnessLedger, 'single' | 'hasRefuted'> {
  /** Whether endpoints have refuted this claim: a repeated one is not believed. */
  isRefuted(claim: WitnessClaim): boolean
  /**
   * Testimonies by the spender's hash, as far as the witnesses answered within a quarter of a second. `changed` is called when
   * later answers have come. `tag`: up to the block `finalThrough` a witness counts only if its own block of this tag is not below.
   * Never rejects.
   */
  call(claims: readonly WitnessClaim[], at: TrackedHead, options?: CallOptions): Promise<ReadonlyMap<Hash, Testimony>>
}

interface CallOptions {
  readonly tag?: FinalityTag | undefined
  /** The last block that is final. Absent: all are. */
  readonly finalThrough?: BlockNumber
  readonly changed?: (() => void) | undefined
}

interface CallWitnesses {
  readonly endpoints: Endpoints
  /** How many providers the network has. */
  readonly providers: number
  readonly namedBlock: NamedBlock
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
  readonly note: NoteContradiction
  readonly witness: NetworkProfile['witness']
}

interface Reading {
  readonly begunAt: number
  readonly ended: Promise<void>
}

/** A step waits so long from the begin of a reading, unless the last one took longer. */
const waitMs = 50

export function callingWitnesses({
  endpoints,
  providers,
  namedBlock,
  clock,
  witness,
  ...log
}: CallWitnesses): Witnesses {
  const views = openWitnessViews(namedBlock, witness)
  const readings = new Map<Entry, Reading>()
  const silent = log.metrics.witnessSilence
  const ledger = openWitnessLedger({ providers, clock, contradicted: reporting(log), silent })
  let isSlow = false

  /** Begins to read about those that are due, block by block. */
  function begin(entries: readonly Entry[], at: TrackedHead): void {
    const begunAt = clock.elapsed()
    const due = entries.filter((entry) => ledger.isDue(entry) && !readings.has(entry))
    for (const inBlock of Map.groupBy(due, ({ claim }) => claim.block.hash).values()) {
      const claims = inBlock.map(({ claim }) => claim)
      const isDoubted = inBlock.some(isDenied)
      const tag = inBlock[0]?.tag
      const ended = readAbout(claims, { endpoints, views, at, tag, isDoubted }).then((heard) => {
        for (const entry of inBlock) {
          const { hash } = entry.claim
          ledger.learn(entry, heard.get(hash) ?? new Map(), at.head.number)
          // Before that, the witnesses of a tag are to be called yet.
          if (entry.isFinal && ledger.isSettled(entry)) views.forget(hash)
          readings.delete(entry)
        }
        isSlow = clock.elapsed() - begunAt > waitMs
      })
      for (const entry of inBlock) readings.set(entry, { begunAt, ended })
    }
  }

  async function attend(entries: readonly Entry[], changed: (() => void) | undefined): Promise<void> {
    if (readings.size === 0) return
    const open = [...new Set(entries.flatMap((entry) => readings.get(entry) ?? []))]
    if (open.length === 0) return
    const ended = Promise.all(open.map((reading) => reading.ended))
    let isLate = false
    void ended.then(() => {
      if (isLate) changed?.()
    })
    const ms = isSlow ? 0 : Math.max(...open.map(({ begunAt }) => begunAt)) + waitMs - clock.elapsed()
    if (ms > 0) await waitBriefly(clock, ms, () => ended)
    isLate = true
  }

  return {
    async call(claims, at, { tag, finalThrough = Number.POSITIVE_INFINITY, changed } = {}) {
      const isFinal = ({ block }: WitnessClaim) => block.number <= finalThrough
      const entries = claims.map((claim) => ledger.entryOf(claim, isFinal(claim), isFinal(claim) ? tag : undefined))
      begin(entries, at)
      await attend(entries, changed)
      return new Map(entries.map((entry) => [entry.claim.hash, ledger.testimony(entry, at.head.number)]))
    },
    reported: views.reported,
    isRefuted: ledger.isRefuted,
    hasRefuted: ledger.hasRefuted,
    single: ledger.single,
  }
}

interface ReadAbout {
  readonly endpoints: Endpoints
  readonly views: WitnessViews
  readonly at: TrackedHead
  readonly tag: FinalityTag | undefined
  readonly isDoubted: boolean
}

/** Words by the spender's hash. `claims` lie in one block. As many providers are called at a time as may suffice. Never rejects. */
async function readAbout(
  claims: readonly WitnessClaim[],
  { endpoints, views, at, tag, isDoubted }: ReadAbout,
): Promise<ReadonlyMap<Hash, Heard>> {
  const heard = new Map(claims.map(({ hash }) => [hash, new Map<string, Word>()]))
  const [first] = claims
  if (!first) return heard
  const requested = { block: first.block, head: at.head, tag, isDoubted }
  // Further ones are not called.
  const lacking = ({ hash }: WitnessClaim) => witnessesNeeded - shownIn(heard.get(hash))
  let waiting = endpoints.order(at.by)
  while (waiting.length > 0) {
    const most = claims.reduce((above, claim) => Math.max(above, lacking(claim)), 0)
    if (most === 0) break
    const next = ofProviders(waiting, most)
    waiting = waiting.filter((endpoint) => !next.includes(endpoint))
    await Promise.all(
      next.map(async (endpoint) => {
        const { provider } = endpoint
        const open = claims.filter((claim) => lacking(claim) > 0 && !heard.get(claim.hash)?.has(provider))
        if (open.length === 0) return
        for (const [hash, shown] of await views.of(endpoint, requested, open)) {
          if (shown.view !== 'silent') heard.get(hash)?.set(provider, shown)
        }
      }),
    )
  }
  return heard
}

/** The number of providers that show it. */
function shownIn(heard: Heard | undefined): number {
  let shown = 0
  for (const { view } of heard?.values() ?? []) if (view === 'shown') shown += 1
  return shown
}

/** The first of so many providers. */
function ofProviders(waiting: readonly Endpoint[], most: number): readonly Endpoint[] {
  const firsts = waiting.filter(
    ({ provider }, index) => waiting.findIndex((each) => each.provider === provider) === index,
  )
  return firsts.slice(0, most)
}

function reporting({ logger, metrics, note }: Pick<CallWitnesses, 'logger' | 'metrics' | 'note'>) {
  return ({ hash, block, succeeded }: WitnessClaim, words: readonly Word[]) => {
    const { shownBy: shown, refutedBy, elsewhereBy } = saidBy(words)
    const denied = [...refutedBy, ...elsewhereBy]
    const subject = denied.length > 0 ? 'spender' : 'cost'
    const facts = { hash, block: block.number, shown_by: shown, denied_by: denied }
    logger.warn(facts, `endpoints contradict each other about the ${subject} of a nonce`)
    for (const index of [...shown, ...denied]) metrics.contradicted(index)
    note({
      condition: 'witnesses_contradict',
      question: { block, spender: hash, ...(succeeded !== undefined && { succeeded }) },
      answers: words.map(({ endpoint, answer, charge }) => ({
        endpoint,
        answer: answer ? JSON.stringify({ ...answer, ...figuresOf(charge) }) : '',
      })),
    })
  }
}

/** A charge as a contradiction keeps it, without the members that are undefined. */
function figuresOf({ gasUsed, effectiveGasPrice, l1Fee }: Charge = {}) {
  return { gas_used: gasUsed, effective_gas_price: effectiveGasPrice?.toString(), l1_fee: l1Fee?.toString() }
}
