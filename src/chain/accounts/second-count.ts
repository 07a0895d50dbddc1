// Reads an account's count a second time, from another endpoint: what a single count says may be false. Where no other
// endpoint answers, the same one has to say it again.
import type { Address } from '../../domain/ids.ts'
import { aloneAfterMs } from '../../domain/second-witness.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Endpoints, firstFitAnswer, othersThan } from '../nodes/endpoints.ts'
import { readNonce } from '../nodes/read-nonce.ts'
import { measureSilence, type Silence } from '../nodes/silence.ts'

export interface SecondCount {
  readonly nonce: Nonce
  /** `same`: no other endpoint answers. */
  readonly by: 'another' | 'same'
}

interface Counted {
  readonly count: Nonce
  /** Explained. */
  readonly below: Nonce
}

export interface SecondCounts {
  /**
   * The count at the head by another endpoint than `by`. If there is none, or none has answered for ten minutes, the highest of
   * three counts of `by`. Undefined until then.
   */
  read(address: Address, at: TrackedHead, by: Endpoint): Promise<SecondCount | undefined>
  /**
   * A count of `by` at the head that nothing explains: the lowest of it and the count of another endpoint there. Where no other
   * answers, the lowest of three readings over fifteen seconds. `doubted` until then.
   */
  confirm(address: Address, at: TrackedHead, by: Endpoint, counted: Counted): Promise<Nonce | 'doubted'>
  /** The explained count when the doubt began. 0 without a doubt. */
  explainedAtFirst(address: Address): Nonce
  /** The account's count is explained. */
  explained(address: Address): void
  /**
   * The count at the head by another provider than that of `by`, whose count includes nonces that no spender explains: from the second
   * head on at which that is so and three seconds later, or at once if it is urgent. Undefined before that, and where no other answers.
   */
  ofUnshown(address: Address, at: TrackedHead, by: Endpoint, isUrgent: boolean): Promise<Nonce | undefined>
  /** Each nonce that is counted as spent has its spender. */
  allShown(address: Address): void
  /** The lowest of `count` and a second count. Without another endpoint, `by` has to repeat its own twice. */
  lower(address: Address, at: TrackedHead, by: Endpoint, count: Nonce): Promise<Nonce>
}

/** A second count that differs from the first decides nothing: nothing is bound above what both count. */
function lowest(count: Nonce, other: Nonce): Nonce {
  return Math.min(count, other)
}

const readingsNeeded = 3
/** A receipt often comes a moment after its block. */
const unshownMs = 3_000
/** A gateway's mistake mostly ends within seconds. */
const confirmMs = 15_000
/** Two counts of one endpoint differ by a head, or by this time: a chain that makes blocks on demand may make none. */
const readingEveryMs = 5_000
/** The most accounts: with more, all begin again. */
const accountsMax = 10_000

interface Doubt {
  readonly below: Nonce
  readonly since: number
  readonly readings: number
  readonly lowest: Nonce
  readonly last: { readonly head: BlockNumber; readonly at: number }
  /** How many reorganizations there had been: after another one the readings are not of one chain. */
  readonly reorgs: number
}

interface Readings {
  readonly silence: Silence
  readonly counts: readonly { readonly head: BlockNumber; readonly at: number; readonly nonce: Nonce }[]
}

export function readingSecondCounts(
  endpoints: Endpoints,
  clock: Pick<Clock, 'elapsed'>,
  reorgs: () => number,
): SecondCounts {
  const doubts = new Map<Address, Doubt>()
  const own = new Map<Address, Readings>()
  const unshown = new Map<Address, { readonly head: BlockNumber; readonly at: number }>()
  const otherCount = (address: Address, { head }: TrackedHead, by: Endpoint) =>
    firstFitAnswer(othersThan(by, endpoints), (endpoint) => readNonce(endpoint, address, head.number))

  return {
    async read(address, at, by) {
      const other = await otherCount(address, at, by)
      if (other !== undefined) {
        own.delete(address)
        return { nonce: other, by: 'another' }
      }
      const now = clock.elapsed()
      if (own.size >= accountsMax && !own.has(address)) own.clear()
      const known: Readings = own.get(address) ?? { silence: measureSilence(clock), counts: [] }
      known.silence.note(true)
      const last = known.counts.at(-1)
      const isNext = !last || last.head !== at.head.number || now - last.at >= readingEveryMs
      const nonce = isNext ? await readNonce(by, address, at.head.number) : undefined
      const reading = nonce === undefined ? [] : [{ head: at.head.number, at: now, nonce }]
      const counts = [...known.counts, ...reading].slice(-readingsNeeded)
      own.set(address, { ...known, counts })
      const isAlone = othersThan(by, endpoints).length === 0 || known.silence.ms() >= aloneAfterMs
      if (!isAlone || counts.length < readingsNeeded) return undefined
      return { nonce: Math.max(...counts.map((each) => each.nonce)), by: 'same' }
    },
    async confirm(address, at, by, { count, below }) {
      const other = await otherCount(address, at, by)
      if (other !== undefined) {
        doubts.delete(address)
        return lowest(count, other)
      }
      const now = clock.elapsed()
      const { number: head } = at.head
      const last = doubts.get(address)
      const known = last?.reorgs === reorgs() ? last : undefined
      const isNext = !known || known.last.head !== head || now - known.last.at >= readingEveryMs
      const doubt: Doubt = {
        below,
        since: known?.since ?? now,
        readings: (known?.readings ?? 0) + (isNext ? 1 : 0),
        lowest: Math.min(known?.lowest ?? count, count),
        last: isNext ? { head, at: now } : known.last,
        reorgs: reorgs(),
      }
      if (doubts.size >= accountsMax && !known) doubts.clear()
      if (doubt.readings < readingsNeeded || now - doubt.since < confirmMs) {
        doubts.set(address, doubt)
        return 'doubted'
      }
      doubts.delete(address)
      return doubt.lowest
    },
    explainedAtFirst(address) {
      const doubt = doubts.get(address)
      return doubt?.reorgs === reorgs() ? doubt.below : 0
    },
    explained: (address) => void doubts.delete(address),
    async ofUnshown(address, at, by, isUrgent) {
      const now = clock.elapsed()
      const { number: head } = at.head
      const since = unshown.get(address) ?? { head, at: now }
      if (unshown.size >= accountsMax) unshown.clear()
      unshown.set(address, since)
      if (!isUrgent && (head <= since.head || now - since.at < unshownMs)) return undefined
      const others = othersThan(by, endpoints).filter(({ provider }) => provider !== by.provider)
      return firstFitAnswer(others, (endpoint) => readNonce(endpoint, address, head))
    },
    allShown: (address) => void unshown.delete(address),
    async lower(address, at, by, count) {
      const other = await otherCount(address, at, by)
      if (other !== undefined) return lowest(count, other)
      const again = await readNonce(by, address, at.head.number)
      const last = await readNonce(by, address, at.head.number)
      return Math.min(count, again ?? count, last ?? count)
    },
  }
}
