// The client programs of nodes: the replacements that their pools accept, their limits, and their error messages.
import type { RejectionCode } from '../../src/domain/attempt.ts'
import { type Sample, samples } from '../../tooling/broadcast-samples.ts'
import type { SimTransaction } from './transaction.ts'

export type Refusal = RejectionCode | 'alreadyKnown'

export interface Profile {
  readonly client: string
  readonly version: string
  /** The newcomer may replace the incumbent. */
  replaces(newcomer: SimTransaction, incumbent: SimTransaction, baseFee: bigint): boolean
  /** Transactions of one sender; beyond them only its next nonce gets in. */
  readonly senderSlots: number
  /** A transaction's nonce may be this far above the sender's. */
  readonly gapMax: number
  /** Rejects a fee cap below the next block's base fee. */
  readonly wantsBaseFee: boolean
  readonly tipMin: bigint
  /** Answers these with a hash and no error: the node tracks the transaction, the pool does not have it. */
  readonly swallows: readonly Refusal[]
  /** Transactions that a reorganization takes out of a block return to the pool. */
  readonly returnsReorged: boolean
  /** The pool drops transactions that their sender cannot pay any more. */
  readonly dropsUnpaid: boolean
  /** Its error messages, as recorded from the real client. */
  words(refusal: Refusal): readonly Sample[]
}

type Traits = Omit<Profile, 'words'> & { readonly samplesOf: readonly string[] }

const floorOf = (wei: bigint) => (wei * 110n) / 100n
const ceilOf = (wei: bigint) => (wei * 110n + 99n) / 100n

/** Fee cap and tip each rise to their threshold, and strictly. */
function bothRise(threshold: (wei: bigint) => bigint): Profile['replaces'] {
  return (newcomer, incumbent) =>
    newcomer.cap > incumbent.cap &&
    newcomer.tip > incumbent.tip &&
    newcomer.cap >= threshold(incumbent.cap) &&
    newcomer.tip >= threshold(incumbent.tip)
}

export function effectivePrice({ cap, tip }: Pick<SimTransaction, 'cap' | 'tip'>, baseFee: bigint): bigint {
  return cap < baseFee + tip ? cap : baseFee + tip
}

const common = {
  senderSlots: 80,
  gapMax: 1_000,
  wantsBaseFee: false,
  tipMin: 0n,
  swallows: [],
  returnsReorged: true,
  dropsUnpaid: true,
} as const

const traits: readonly Traits[] = [
  {
    ...common,
    client: 'geth',
    version: 'Geth/v1.17.0-stable/linux-amd64/go1.25',
    replaces: bothRise(floorOf),
    tipMin: 1n,
    swallows: ['feeTooLow', 'poolFull'],
    samplesOf: ['geth'],
  },
  {
    ...common,
    client: 'reth',
    version: 'reth/v1.9.0/x86_64-unknown-linux-gnu',
    replaces: bothRise(ceilOf),
    senderSlots: 16,
    dropsUnpaid: false,
    samplesOf: ['reth'],
  },
  {
    ...common,
    client: 'erigon',
    version: 'erigon/3.2.0/linux-amd64/go1.25',
    replaces: bothRise(floorOf),
    senderSlots: 64,
    dropsUnpaid: false,
    samplesOf: ['Erigon'],
  },
  {
    ...common,
    client: 'nethermind',
    version: 'Nethermind/v1.35.0/linux-x64/dotnet9',
    replaces: bothRise(floorOf),
    gapMax: 16,
    samplesOf: ['Nethermind', 'Nethermind before 1.25'],
  },
  {
    ...common,
    client: 'besu',
    version: 'besu/v25.11.0/linux-x86_64/openjdk-java-21',
    replaces(newcomer, incumbent, baseFee) {
      const [now, then] = [effectivePrice(newcomer, baseFee), effectivePrice(incumbent, baseFee)]
      return now >= ceilOf(then) || (now === then && newcomer.tip >= ceilOf(incumbent.tip))
    },
    gapMax: 200,
    wantsBaseFee: true,
    samplesOf: ['Besu'],
  },
  {
    ...common,
    client: 'anvil',
    version: 'anvil/v1.7.1',
    replaces: (newcomer, incumbent) => newcomer.cap > incumbent.cap,
    gapMax: 32,
    wantsBaseFee: true,
    returnsReorged: false,
    samplesOf: ['anvil'],
  },
]

const orders: Traits = {
  ...common,
  client: 'nitro',
  version: 'nitro/v3.7.1/linux-amd64/go1.25',
  // Where it orders by tips. As they come, nothing replaces anything.
  replaces: bothRise(floorOf),
  wantsBaseFee: true,
  samplesOf: [],
}

export const profiles: readonly Profile[] = traits.map(spoken)

/** First come, first served. */
export const sequencer: Profile = spoken(orders)

function spoken({ samplesOf, ...profile }: Traits): Profile {
  const own = samples
    .filter(({ client }) => samplesOf.includes(client))
    // The only price that such a one refuses here is one below the base fee: it says no other reason.
    .filter(({ means, message }) => means !== 'feeTooLow' || !profile.wantsBaseFee || /base fee/.test(message))
  return {
    ...profile,
    words(refusal) {
      const said = own.filter(({ means }) => means === refusal)
      return said.length > 0 ? said : samples.filter(({ means }) => means === refusal)
    },
  }
}
