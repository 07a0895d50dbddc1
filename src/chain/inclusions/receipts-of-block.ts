// Reads the receipts of a block in one call, where many of them are wanted and the endpoint serves that: geth, reth, Nethermind, Erigon
// and Besu do, and not every gateway.
import type { Hash } from '../../domain/ids.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Listing } from '../nodes/read-block.ts'
import { type Receipt, toReceipt } from './receipt.ts'

type ReceiptsOfBlock = ReadonlyMap<Hash, Receipt>

/** A block. With its list of hashes all relayers share the receipts that were read; without one, only this caller gets them. */
type Sought = Listing | (Pick<Listing, 'number'> & { readonly hash?: never; readonly hashes?: never })

interface Wanted {
  /** The number of receipts. */
  readonly wanted: number
  readonly head: BlockNumber
}

/** What all relayers together wanted of a block, and got. */
interface Shared {
  wanted: number
  reading?: Promise<ReceiptsOfBlock | undefined>
}

/** The fewest wanted receipts: some providers bill the call for a block as twelve or twenty-five for a receipt. */
const wantedMin = 8
/** The most transactions in a block for each wanted receipt. Parsing the receipts of more takes longer than single calls. */
const othersMax = 4
/** The most transactions in a block: plain receipts of more have more bytes than the main thread parses (expected-answer.ts). */
const sizeMax = 450
/** An endpoint that refused the call, or gave no answer, is not called so for as many blocks. */
const restBlocks = 1_000

const shares = new WeakMap<Endpoint, WeakMap<ReadonlySet<Hash>, Shared>>()
/** The head from which on an endpoint is called again. */
const restsTo = new WeakMap<Endpoint, BlockNumber>()

/** Undefined where receipts have to be read one by one. One that is missing may exist all the same. */
export async function readReceiptsOfBlock(
  endpoint: Endpoint,
  block: Sought,
  { wanted, head }: Wanted,
): Promise<ReceiptsOfBlock | undefined> {
  const { hashes } = block
  if (wanted === 0 || head < (restsTo.get(endpoint) ?? 0)) return undefined
  const shared = hashes ? sharedOf(endpoint, hashes) : { wanted: 0 }
  shared.wanted += wanted
  const isSmall = (hashes?.size ?? 0) <= Math.min(sizeMax, shared.wanted * othersMax)
  if (isSmall && shared.wanted >= wantedMin) shared.reading ??= read(endpoint, block, head)
  return shared.reading
}

function sharedOf(endpoint: Endpoint, hashes: ReadonlySet<Hash>): Shared {
  const byListing = shares.get(endpoint) ?? new WeakMap<ReadonlySet<Hash>, Shared>()
  shares.set(endpoint, byListing)
  const shared = byListing.get(hashes) ?? { wanted: 0 }
  byListing.set(hashes, shared)
  return shared
}

async function read(
  endpoint: Endpoint,
  { number, hash }: Sought,
  head: BlockNumber,
): Promise<ReceiptsOfBlock | undefined> {
  const call = { method: 'eth_getBlockReceipts', params: [toHex(number)] }
  const answer = await endpoint.call(call)
  if (answer.kind !== 'value') restsTo.set(endpoint, head + restBlocks)
  if (answer.kind !== 'value' || !Array.isArray(answer.value)) return undefined
  const receipts = answer.value.map(toReceipt).filter((receipt) => receipt !== undefined)
  const isAnother = receipts.some(({ block }) => block.number !== number)
  if (isAnother) endpoint.strayed(call.method)
  // An answer of another branch would be shared for some blocks, while a single receipt may soon be of the true block.
  if (isAnother || receipts.some(({ block }) => block.hash !== (hash ?? block.hash))) return undefined
  return new Map(receipts.map((receipt) => [receipt.hash, receipt]))
}
