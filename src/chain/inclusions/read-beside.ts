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
 * be sent. Otherwise no reading begins, and the call waits for those under way. `changed` is called once receipts have come for which this
 * call did not wait.
 */
export type ReceiptsBeside = (
  address: Address,
  spent: readonly LiveNonce[],
  at: TrackedHead,
  options: { readonly sends: boolean; readonly changed: (() => void) | undefined },
) => Promise<ReadBeside>

/** The receipts of nonces that were found spent in one look. `inclusions`: absent while they are on their way. */
interface Reading {
  readonly nonces: ReadonlySet<Nonce>
  readonly ended: Promise<void>
  inclusions?: ReadonlyMap<Nonce, Inclusion>
}

/** The receipts of a near node come within this time, and save a step of their own. One that took longer the last time is not waited for. */
const nearMs = 50

export function readingReceiptsBeside(
  clock: Clock,
  readCanonical: ReadCanonical,
  { reported, isRefuted }: Pick<Witnesses, 'reported' | 'isRefuted'>,
): ReceiptsBeside {
  const readings = new Map<Address, readonly Reading[]>()
  let isFar = false

  function begin(news: readonly LiveNonce[], at: TrackedHead): Reading {
    const begunAt = clock.elapsed()
    const ended = readReceipts(at.by, readCanonical, news, at).then(({ inclusions }) => {
      isFar = clock.elapsed() - begunAt > nearMs
      for (const each of inclusions.values()) reported(at.by, each)
      reading.inclusions = new Map([...inclusions].filter(([, each]) => isComplete(each)))
    })
    const reading: Reading = { nonces: new Set(news.map(({ nonce }) => nonce)), ended }
    return reading
  }

  return async (address, spent, at, { sends, changed }) => {
    const open = new Set(spent.map(({ nonce }) => nonce))
    const known = (readings.get(address) ?? []).filter(({ nonces }) => spent.some(({ nonce }) => nonces.has(nonce)))
    const news = sends ? spent.filter(({ nonce }) => !known.some(({ nonces }) => nonces.has(nonce))) : []
    const all = news.length > 0 ? [...known, begin(news, at)] : known
    if (all.length > 0) readings.set(address, all)
    else readings.delete(address)
    const awaited = all.filter(({ inclusions }) => !inclusions)
    const ended = Promise.all(awaited.map((each) => each.ended))
    if (!sends) await ended
    else if (awaited.length > 0 && (isFar || (await within(clock, nearMs, () => ended)) === late))
      void ended.then(changed)
    const proven = all.flatMap(({ inclusions = [] }) => [...inclusions]).filter(([nonce]) => open.has(nonce))
    const canonical = await readCanonical(
      proven.map(([, { block }]) => block.number),
      at,
    )
    const isShown = (each: Inclusion) =>
      canonical.get(each.block.number) === each.block.hash && !isRefuted(claimOf(each))
    return {
      inclusions: new Map(proven.filter(([, each]) => isShown(each))),
      underWay: new Set(all.flatMap(({ nonces, inclusions }) => (inclusions ? [] : [...nonces]))),
    }
  }
}
