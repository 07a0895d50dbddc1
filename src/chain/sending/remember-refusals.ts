// Remembers which endpoints call the bytes of a payload invalid. One may be wrong, and another block may cure a node of it: a
// payload is refused by all once every endpoint that answers has said it twice, two blocks and 4 s apart, and none shows the
// transaction. A restart forgets these words: then each endpoint has to say it twice again.
import { hash as hashed } from 'node:crypto'
import type { BroadcastOutcome } from '../../domain/attempt.ts'
import type { Market } from '../../domain/fees.ts'
import type { Hash } from '../../domain/ids.ts'
import type { RefusedPayload, UnknownWordsInquiry, Unshown } from '../../domain/observation.ts'
import { isOver, type Moment, type Patience } from '../../domain/patience.ts'
import type { BlockNumber, Gas, Nonce } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import { askAbout } from '../nodes/ask-about.ts'
import { toHash } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { withoutFigures } from '../nodes/like-words.ts'

export interface Refusals {
  /** An endpoint's answer to a payload's bytes. */
  learn(hash: Hash, by: Endpoint, outcome: BroadcastOutcome): void
  /** Whether no endpoint shows the payload, and for how long. By the first attempt's hash. */
  findUnshown(payload: UnknownWordsInquiry): Promise<ReadonlyMap<Hash, Unshown>>
  /** The words of the refusal, by the hash of the newest attempt. Costs calls only where every endpoint has refused it. */
  findRefusedByAll(payloads: readonly RefusedPayload[]): Promise<ReadonlyMap<Hash, string>>
  /** The least gas limit that was refused while less was taken, as rows showed within the last hour. `shown`: what they show now. */
  refusedGas(shown: Gas | undefined): Pick<Market, 'refusedGas'>
}

/** An endpoint's last word on the bytes. `from`, `to`: the first and the last refusal of an unbroken run. */
type Said =
  | { readonly what: 'invalid'; readonly from: Moment; readonly to: Moment; readonly words: string }
  /** `unknown`: the words, if no table has them. */
  | { readonly what: 'other'; readonly unknown?: string }

/** What lies between two refusals: other blocks may cure a node of one. */
const refusalsApart: Patience = { blocks: 2, ms: 4_000 }
/** A chain may raise its cap. */
const refusedGasKeptMs = 3_600_000
/** A look is a call for each endpoint and attempt. */
const lookEveryMs = 5_000
/** The most payloads: more are refused at a time only where nodes refuse everything. The oldest are forgotten. */
const payloadsMax = 1_000

export function rememberRefusals(
  endpoints: Pick<Endpoints, 'usable'>,
  height: () => BlockNumber | undefined,
  elapsed: () => number,
): Refusals {
  let accepted: { readonly hash: Hash; readonly at: number } | undefined
  /** Refusals by the first attempt's hash. `since` is absent while an endpoint shows the payload, or none answers. */
  const looked = new Map<Hash, { readonly at: number; readonly since?: number }>()
  const said = new Map<Hash, Map<Endpoint, Said>>()
  /** Whether an endpoint showed an attempt, or none answered: read once at each height. */
  const shown = new Map<Hash, { readonly at: BlockNumber; readonly isRefuted: boolean }>()

  const noteUnknown = rememberUnknownWords(elapsed)

  async function isRefuted({ newest, live }: RefusedPayload): Promise<boolean> {
    const at = height()
    const known = shown.get(newest)
    if (at === undefined) return true
    if (known?.at === at) return known.isRefuted
    const result = await isShown(endpoints, live)
    if (shown.size >= payloadsMax) shown.clear()
    shown.set(newest, { at, isRefuted: result })
    return result
  }

  return {
    learn(hash, by, outcome) {
      const at = height()
      const known = said.get(hash)
      const isTaken = outcome.kind === 'accepted' || outcome.kind === 'alreadyKnown'
      if (outcome.kind === 'accepted') accepted = { hash, at: elapsed() }
      if (at === undefined || (!known && isTaken)) return
      const next = afterWord(known?.get(by), outcome, { block: at, ms: elapsed() })
      if (!next && !known) return
      const words = known ?? new Map<Endpoint, Said>()
      if (next) words.set(by, next)
      else words.delete(by)
      // The newest last.
      said.delete(hash)
      said.set(hash, words)
      const [oldest] = said.keys()
      if (said.size > payloadsMax && oldest !== undefined) said.delete(oldest)
    },
    async findUnshown(requested) {
      const { newest, live } = requested
      const [first] = live
      if (first === undefined) return new Map()
      const now = elapsed()
      const known = looked.get(first)
      if (!known || now - known.at >= lookEveryMs) {
        const isGone = !(await isShown(endpoints, live))
        if (looked.size >= payloadsMax) looked.clear()
        looked.set(first, { at: now, ...(isGone && { since: known?.since ?? now }) })
      }
      const since = looked.get(first)?.since
      const other = accepted && !live.includes(accepted.hash) ? { otherAcceptedMsAgo: now - accepted.at } : {}
      const unshown = since === undefined ? undefined : { forMs: now - since, ...other }
      const before = noteUnknown(requested, unshown, unknownWordsOfAll(said.get(newest)))
      return unshown ? new Map([[first, { ...unshown, ...before }]]) : new Map()
    },
    async findRefusedByAll(payloads) {
      const found = new Map<Hash, string>()
      await Promise.all(
        payloads.map(async (payload) => {
          const words = wordsOfAll(said.get(payload.newest))
          if (words !== undefined && !(await isRefuted(payload))) found.set(payload.newest, words)
        }),
      )
      return found
    },
    refusedGas: rememberRefusedGas(elapsed),
  }
}

/** Remembers in which words that no table has all refused a payload, and for how long, until an endpoint shows it. */
function rememberUnknownWords(elapsed: () => number) {
  const runs = new Map<string, { nonce: Nonce; words: readonly string[]; at: number; forMs: number }>()
  return (
    { nonce, payload: { from, to, value, data } }: UnknownWordsInquiry,
    unshown: Unshown | undefined,
    words: readonly string[],
  ): Pick<Unshown, 'refusedBeforeMs'> => {
    const key = hashed('sha256', `${from} ${to} ${value} ${data}`)
    const last = runs.get(key)
    const acceptedAt = elapsed() - (unshown?.otherAcceptedMsAgo ?? Number.POSITIVE_INFINITY)
    if (!unshown) runs.delete(key)
    if (!unshown || words.length === 0) return {}
    const isLike = last && last.nonce !== nonce && words.every((each) => last.words.includes(each))
    if (isLike) return acceptedAt >= last.at ? { refusedBeforeMs: last.forMs } : {}
    if (runs.size >= payloadsMax) runs.clear()
    runs.set(key, { nonce, words, at: elapsed(), forMs: unshown.forMs })
    return {}
  }
}

function rememberRefusedGas(elapsed: () => number): Refusals['refusedGas'] {
  let last: { readonly gas: Gas; readonly at: number } | undefined
  return (shown) => {
    const now = elapsed()
    if (last && now - last.at >= refusedGasKeptMs) last = undefined
    if (shown !== undefined && shown <= (last?.gas ?? shown)) last = { gas: shown, at: now }
    return last ? { refusedGas: last.gas } : {}
  }
}

type SaidByEach = ReadonlyMap<Endpoint, Said>

function wordsOfAll(said: SaidByEach = new Map()): string | undefined {
  const each = [...said.values()]
  const isByAll = each.every((one) => one.what === 'invalid' && isTwice(one))
  const last = each.at(-1)
  return isByAll && last?.what === 'invalid' ? last.words : undefined
}

/** The words of each endpoint that answered. None if a table has those of any. */
function unknownWordsOfAll(said: SaidByEach = new Map()): readonly string[] {
  const words = [...said.values()].flatMap((one) => (one.what === 'other' ? (one.unknown ?? []) : []))
  return words.length === said.size ? words : []
}

function isTwice({ from, to }: Extract<Said, { what: 'invalid' }>): boolean {
  return isOver(refusalsApart, from, to)
}

/** An endpoint that gives no answer is not waited for, unless it has refused the bytes twice already. */
function afterWord(before: Said | undefined, outcome: BroadcastOutcome, at: Moment): Said | undefined {
  const isSilent = outcome.kind === 'unsent' || (outcome.kind === 'unknown' && outcome.code === undefined)
  if (isSilent) return before?.what === 'invalid' && isTwice(before) ? before : undefined
  if (outcome.kind === 'unknown') return { what: 'other', unknown: withoutFigures(outcome.message) }
  if (outcome.kind !== 'rejected' || outcome.code !== 'invalid') return { what: 'other' }
  // A head that has fallen counts anew.
  const from = before?.what === 'invalid' && before.from.block <= at.block ? before.from : at
  return { what: 'invalid', from, to: at, words: outcome.message }
}

/** Whether an endpoint shows one of the attempts, or none answers. */
async function isShown(endpoints: Pick<Endpoints, 'usable'>, live: readonly Hash[]): Promise<boolean> {
  const views = await Promise.all(endpoints.usable().map((endpoint) => viewOf(endpoint, live)))
  return views.includes('shown') || !views.includes('missing')
}

/** Whether the endpoint shows one of the transactions, in its pool or in a block. Undefined without an answer. */
async function viewOf(endpoint: Endpoint, hashes: readonly Hash[]): Promise<'shown' | 'missing' | undefined> {
  if ((await endpoint.ready()) !== undefined) return undefined
  const answers = await Promise.all(
    hashes.map(async (hash) => {
      const call = { method: 'eth_getTransactionByHash', params: [hash] }
      const reply = await askAbout(endpoint, call, hashIn, (named) => named === hash)
      if ('value' in reply) return 'shown'
      return reply.why === 'none' ? 'missing' : undefined
    }),
  )
  return answers.includes('shown') ? 'shown' : answers.includes('missing') ? 'missing' : undefined
}

function hashIn(transaction: unknown): Hash | undefined {
  return toHash(memberOf(transaction, 'hash'))
}
