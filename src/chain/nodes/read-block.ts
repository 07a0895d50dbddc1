// Reads blocks from one endpoint. No other file takes a block from an answer, but block-call.ts, so no caller takes another block for the requested
// one.
import { isAddressEqual } from 'viem/utils'
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockRef } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { askAbout, type NodeReply } from './ask-about.ts'
import { blockCall, placeOf } from './block-call.ts'
import type { SoughtInBody } from './call.ts'
import { type BlockEntry, isWhole, type Mined, toEntries, toHashes, toHead, toHex } from './decode.ts'
import type { Endpoint } from './endpoint.ts'

/** A block with its transactions. */
export interface Body {
  readonly head: Head
  readonly transactions: readonly Mined[]
  /** Entries that lack members by which they might be sought. */
  readonly unread: readonly BlockEntry[]
}

/** A block with the hashes of its transactions. */
export interface Listing extends BlockRef {
  readonly hashes: ReadonlySet<Hash>
}

export function readHeader(endpoint: Endpoint, number: BlockNumber): Promise<NodeReply<Head>> {
  return askAbout(endpoint, blockCall(toHex(number), false), toHead, (head) => head.number === number)
}

/** A head, and the hashes of its block's transactions. Without them: the node does not list them, or they are too many for the main thread. */
interface ListedHead {
  readonly head: Head
  readonly hashes: ReadonlySet<Hash> | undefined
}

/** The node chooses `latest`. */
export function readListedHead(
  endpoint: Pick<Endpoint, 'call' | 'strayed'>,
  block: BlockNumber | 'latest',
): Promise<NodeReply<ListedHead>> {
  const call = blockCall(placeOf(block), false)
  return askAbout(endpoint, call, toListedHead, ({ head }) => block === 'latest' || head.number === block)
}

/** The body of a block; of a large one, only the transactions that `seeks` names. */
export function readBody(endpoint: Endpoint, number: BlockNumber, seeks: SoughtInBody): Promise<NodeReply<Body>> {
  const call = { ...blockCall(toHex(number), true), seeks }
  return askAbout(
    endpoint,
    call,
    (value) => toBody(value, seeks),
    ({ head }) => head.number === number,
  )
}

/** The block's own list of transactions, in its order. */
export function readListing(endpoint: Endpoint, number: BlockNumber): Promise<NodeReply<Listing>> {
  return askAbout(endpoint, blockCall(toHex(number), false), toListing, (listing) => listing.number === number)
}

/** The node chooses the block. Only its place on the remembered chain proves it. */
export function readNamed(
  endpoint: Pick<Endpoint, 'call' | 'strayed'>,
  name: 'latest' | FinalityTag,
): Promise<NodeReply<Head>> {
  return askAbout(endpoint, blockCall(name, false), toHead, () => true)
}

function toListedHead(value: unknown): ListedHead | undefined {
  const head = toHead(value)
  return head && { head, hashes: toHashes(value) }
}

function toListing(value: unknown): Listing | undefined {
  const head = toHead(value)
  const hashes = toHashes(value)
  return head && hashes && { number: head.number, hash: head.hash, hashes }
}

function toBody(value: unknown, seeks: SoughtInBody): Body | undefined {
  const head = toHead(value)
  const entries = toEntries(value)
  return (
    head &&
    entries && {
      head,
      transactions: entries.filter(isWhole),
      unread: entries.filter((entry) => mayBeSought(entry, seeks)),
    }
  )
}

/** Whether an entry may be the spender of a sought nonce, and lacks a member that would show it. */
function mayBeSought(entry: BlockEntry, { account, from, through }: SoughtInBody): boolean {
  const { nonce = from, from: sender = account } = entry
  return !isWhole(entry) && isAddressEqual(sender, account) && nonce >= from && nonce <= through
}
