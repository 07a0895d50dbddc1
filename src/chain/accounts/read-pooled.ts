// Reads what the pools hold of an account: the counts of its nonces, and the transactions that a node shows.
import type { Address, Hash } from '../../domain/ids.ts'
import { type Pooled, pooledMax } from '../../domain/pooled.ts'
import type { Nonce } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import { rebuild } from '../inclusions/rebuild.ts'
import { toHex, toNumber, toTransaction } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'

/** Undefined where no endpoint counts its pool. Never rejects. An answer may be 15 seconds old: a status may be requested often. */
type ReadPooled = (address: Address) => Promise<Pooled | undefined>

const keptMs = 15_000

export function readingPooled(endpoints: Endpoints, clock: Pick<Clock, 'elapsed'>): ReadPooled {
  const kept = new Map<Address, { readonly at: number; readonly answer: Promise<Pooled | undefined> }>()

  async function read(address: Address): Promise<Pooled | undefined> {
    const all = await Promise.all(endpoints.usable().map((endpoint) => pooledBy(endpoint, address)))
    const counted = all.filter((each) => each !== undefined)
    if (counted.length === 0) return undefined
    return {
      nonce: Math.max(...counted.map(({ nonce }) => nonce)),
      pendingNonce: Math.max(...counted.map(({ pendingNonce }) => pendingNonce)),
      shown: new Map(counted.flatMap(({ shown }) => [...shown])),
    }
  }

  return (address) => {
    const now = clock.elapsed()
    for (const [each, { at }] of kept) if (now - at >= keptMs) kept.delete(each)
    const known = kept.get(address)
    if (known) return known.answer
    const answer = read(address)
    kept.set(address, { at: now, answer })
    return answer
  }
}

async function pooledBy(endpoint: Endpoint, address: Address): Promise<Pooled | undefined> {
  if ((await endpoint.ready()) !== undefined) return undefined
  const count = async (block: 'latest' | 'pending') => {
    const answer = await endpoint.call({ method: 'eth_getTransactionCount', params: [address, block] })
    return answer.kind === 'value' ? toNumber(answer.value) : undefined
  }
  const [nonce, pendingNonce, content] = await Promise.all([
    count('latest'),
    count('pending'),
    readAll(endpoint, address),
  ])
  if (nonce === undefined || pendingNonce === undefined) return undefined
  const listed = content ?? (await readEach(endpoint, address, nonce, pendingNonce))
  return { nonce, pendingNonce, shown: await provenOf(listed, address) }
}

/** geth and others show all that their pool has of the account. Undefined where the node has no such method. */
async function readAll(endpoint: Endpoint, address: Address): Promise<readonly unknown[] | undefined> {
  const answer = await endpoint.call({ method: 'txpool_contentFrom', params: [address] })
  if (answer.kind !== 'value') return undefined
  return ['pending', 'queued'].flatMap((part) => {
    const byNonce = memberOf(answer.value, part)
    return typeof byNonce === 'object' && byNonce !== null ? Object.values(byNonce).slice(0, pooledMax) : []
  })
}

/** reth and anvil have a method for one nonce. */
function readEach(endpoint: Endpoint, address: Address, from: Nonce, below: Nonce): Promise<readonly unknown[]> {
  const nonces = Array.from({ length: Math.min(Math.max(below - from, 0), pooledMax) }, (_, index) => from + index)
  return Promise.all(
    nonces.map(async (nonce) => {
      const params = [address, toHex(nonce)]
      const answer = await endpoint.call({ method: 'eth_getTransactionBySenderAndNonce', params })
      return answer.kind === 'value' ? answer.value : undefined
    }),
  )
}

/** Transactions whose own bytes prove that the account signed them. */
async function provenOf(listed: readonly unknown[], address: Address): Promise<ReadonlyMap<Nonce, Hash>> {
  const proven = await Promise.all(
    listed.map(async (one) => {
      const transaction = toTransaction(one)
      const isProven = transaction && (await rebuild(transaction, address)).kind === 'proven'
      return isProven ? ([[transaction.nonce, transaction.hash]] as const) : []
    }),
  )
  return new Map(proven.flat())
}
