// Finds relayers and transactions by an id, a hash or an address.
import { type Chain, ChainUnavailable } from '../../chain/chain.ts'
import type { Hash, RelayerId, TransactionId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { memberOf } from '../../ops/member.ts'
import type { Reads } from '../../store/store.ts'

export interface SearchContext {
  readonly reads: Reads
  readonly chainOf: (relayer: Relayer) => Chain
}

interface SearchResult {
  readonly relayerId: RelayerId
  /** Absent if the relayer itself was found. */
  readonly transactionId?: TransactionId
}

/**
 * `visible` are the relayers that the requester may see. `query` may be any text: an id of a transaction is one of its meanings. A hash is searched among open transactions, then a node shows the sender
 * and the nonce of a mined one: no index holds the hashes of the whole history.
 */
export async function search(
  context: SearchContext,
  visible: readonly Relayer[],
  query: TransactionId,
): Promise<readonly SearchResult[]> {
  const { reads } = context
  const lower = query.toLowerCase()
  if (isHash(lower)) return byHash(context, visible, lower)
  const named = visible.filter(({ id, address }) => String(id) === query || address.toLowerCase() === lower)
  const owner = await reads.relayerOfTransaction(query)
  const isVisible = owner !== undefined && visible.some(({ id }) => id === owner)
  return [
    ...named.map(({ id }) => ({ relayerId: id })),
    ...(isVisible ? [{ relayerId: owner, transactionId: query }] : []),
  ]
}

function isHash(text: string): text is Hash {
  return /^0x[\da-f]{64}$/.test(text)
}

async function byHash(
  { reads, chainOf }: SearchContext,
  visible: readonly Relayer[],
  hash: Hash,
): Promise<readonly SearchResult[]> {
  const open = await Promise.all(
    visible.map(async ({ id }) => ({ relayerId: id, transactionId: await reads.openWithHash(id, hash) })),
  )
  const found = open.flatMap(({ relayerId, transactionId }) => (transactionId ? [{ relayerId, transactionId }] : []))
  if (found.length > 0) return found
  const networks = [...Map.groupBy(visible, ({ network }) => network).values()]
  const mined = await Promise.all(networks.map((relayers) => minedOf(reads, chainOf, relayers, hash)))
  return mined.flat()
}

/** Results among one network's relayers: none where the network's nodes do not answer. */
async function minedOf(
  reads: Reads,
  chainOf: SearchContext['chainOf'],
  relayers: readonly Relayer[],
  hash: Hash,
): Promise<readonly SearchResult[]> {
  const [first] = relayers
  if (!first) return []
  const transaction = await readTransaction(chainOf, first, hash)
  const [from, nonce] = [memberOf(transaction, 'from'), Number(memberOf(transaction, 'nonce'))]
  const sender = relayers.find(({ address }) => address.toLowerCase() === String(from).toLowerCase())
  if (!sender || !Number.isSafeInteger(nonce)) return []
  const held = await reads.transactionByNonce(sender.id, nonce)
  return held ? [{ relayerId: sender.id, transactionId: held.id }] : []
}

async function readTransaction(chainOf: SearchContext['chainOf'], relayer: Relayer, hash: Hash): Promise<unknown> {
  try {
    const answer = await chainOf(relayer).read({ method: 'eth_getTransactionByHash', params: [hash] })
    return 'value' in answer ? answer.value : undefined
  } catch (error) {
    if (error instanceof ChainUnavailable) return undefined
    throw error
  }
}
