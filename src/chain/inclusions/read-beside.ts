// Reads the receipts of nonces that were spent just now beside the next sends. The count has made room for these already, so no send waits
// a round trip for receipts. The next observations use them, if their blocks are canonical at its head.
import type { Address } from '../../domain/ids.ts'
import type { LiveNonce } from '../../domain/observation.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { Nonce } from '../../domain/units.ts'
import { claimOf } from '../../domain/witness.ts'
import type { Clock } from '../../ops/clock.ts'
import { late, within } from '../../ops/within.ts'
import type { ReadCanonical } from '../heads/read-canonical.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Witnesses } from './call-witnesses.ts'
import { readReceipts } from './read-receipts.ts'
import { isComplete } from './receipt.ts'

interface ReadBeside {
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
  /** The nonces whose receipts are on their way. Without an entry in either: a receipt proved nothing, so the spender is searched for. */
  readonly underWay: ReadonlySet<Nonce>
}

/**
 * `spent`: every live nonce of the account below its count, without those that this observation has proven. `sends`: a transaction waits to
 * be sent. Otherwise nothing is begun, and what is under way is awaited. `changed` is called once receipts have come that this call left.
 */
export type ReceiptsBeside = (
  address: Address,
  spent: readonly LiveNonce[],
  at: TrackedHead,
  options: { readonly sends: boolean; readonly changed: (() => void) | undefined },
) => Promise<ReadBeside>

interface Reading {
  readonly ended: Promise<void>
  isUnderWay: boolean
  inclusion?: Inclusion
}

/** The receipts of a near node come within this time, and save a step of their own. */
const nearMs = 20

export function readingReceiptsBeside(
  clock: Clock,
  readCanonical: ReadCanonical,
  { reported, isRefuted }: Pick<Witnesses, 'reported' | 'isRefuted'>,
): ReceiptsBeside {
  const readings = new Map<Address, ReadonlyMap<Nonce, Reading>>()
  let isFar = false

  function begin(news: readonly LiveNonce[], at: TrackedHead): readonly (readonly [Nonce, Reading])[] {
    const begun: (readonly [Nonce, Reading])[] = []
    const ended = readReceipts(at.by, readCanonical, news, at).then(({ inclusions }) => {
      for (const [nonce, reading] of begun) {
        const inclusion = inclusions.get(nonce)
        if (inclusion) reported(at.by, inclusion)
        if (inclusion && isComplete(inclusion)) reading.inclusion = inclusion
        reading.isUnderWay = false
      }
    })
    for (const { nonce } of news) begun.push([nonce, { ended, isUnderWay: true }])
    return begun
  }

  /** Waits for a near node, and otherwise only where nothing is sent meanwhile. */
  async function attend(ended: Promise<unknown>, sends: boolean, changed: (() => void) | undefined): Promise<void> {
    if (!sends) return void (await ended)
    const begunAt = clock.elapsed()
    void ended.then(() => {
      isFar = clock.elapsed() - begunAt > nearMs
    })
    if (isFar || (await within(clock, nearMs, () => ended)) === late) void ended.then(() => changed?.())
  }

  return async (address, spent, at, { sends, changed }) => {
    const before = readings.get(address) ?? new Map<Nonce, Reading>()
    const kept = spent.flatMap(({ nonce }) => {
      const reading = before.get(nonce)
      return reading ? [[nonce, reading] as const] : []
    })
    const news = sends ? spent.filter(({ nonce }) => !before.has(nonce)) : []
    const all = new Map([...kept, ...(news.length > 0 ? begin(news, at) : [])])
    if (all.size > 0) readings.set(address, all)
    else readings.delete(address)
    const open = new Set([...all.values()].flatMap(({ isUnderWay, ended }) => (isUnderWay ? [ended] : [])))
    if (open.size > 0) await attend(Promise.all(open), sends, changed)
    const proven = [...all].flatMap(([nonce, { inclusion }]) => (inclusion ? [[nonce, inclusion] as const] : []))
    const canonical = await readCanonical(
      proven.map(([, { block }]) => block.number),
      at,
    )
    return {
      inclusions: new Map(
        proven.filter(([, each]) => canonical.get(each.block.number) === each.block.hash && !isRefuted(claimOf(each))),
      ),
      underWay: new Set([...all].flatMap(([nonce, { isUnderWay }]) => (isUnderWay ? [nonce] : []))),
    }
  }
}
