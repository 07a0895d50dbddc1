// All that a judge may look at once nothing is open any more: rows, journal, chains and what the recorder saw.
import { parseTransaction, recoverTransactionAddress, type TransactionSerializedGeneric } from 'viem'
import type { Flag } from '../../../src/store/schema.ts'
import { type ChainNode, headOf, hex } from '../../../tooling/ledger.ts'
import type { Cluster } from './cluster.ts'
import { type Entry, readJournal } from './journal.ts'
import type { Sending } from './recorder.ts'

export interface Row {
  readonly id: string
  readonly relayer: string
  readonly origin: string
  readonly to: string | null
  readonly status: string
  readonly open: Flag
  readonly nonce: number | null
  readonly canceled: boolean
  /** Terminal events of it in the outbox. */
  readonly ends: number
}

export interface AttemptRow {
  readonly transaction: string
  readonly nonce: number
  readonly kind: string
  readonly hash: string
}

/** A transaction in a block. */
export interface Onchain {
  readonly chain: string
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly nonce: number
  readonly value: bigint
}

export interface Broadcast extends Sending {
  readonly from: string
  readonly to: string
  readonly nonce: number
  readonly value: bigint
}

export interface Evidence {
  readonly rows: readonly Row[]
  readonly attempts: readonly AttemptRow[]
  readonly journal: readonly Entry[]
  readonly onchain: readonly Onchain[]
  readonly broadcasts: readonly Broadcast[]
}

export const openRows =
  'SELECT id, relayer_id, status, status_reason, wait_condition, nonce FROM transactions WHERE open = 1'

export async function gather({ query, chains, recorder }: Cluster): Promise<Evidence> {
  const rows = await query<Row>(
    `SELECT t.id, relayer_id AS relayer, origin, lower(to_address) AS "to", t.status, open, t.nonce,
       canceled_at IS NOT NULL AS canceled,
       (SELECT count(*) FROM outbox o WHERE o.transaction_id = t.id AND o.terminal = 1) AS ends
     FROM transactions t ORDER BY relayer_id, sequence`,
  )
  const attempts = await query<AttemptRow>('SELECT transaction_id AS transaction, nonce, kind, hash FROM attempts')
  const onchain = await Promise.all(Object.entries(chains).map(([name, node]) => readChain(name, node)))
  const broadcasts = await Promise.all(recorder.sendings.map(decode))
  return { rows, attempts, journal: await readJournal(query), onchain: onchain.flat(), broadcasts }
}

async function readChain(chain: string, node: ChainNode): Promise<Onchain[]> {
  const mined: Onchain[] = []
  const head = await headOf(node)
  type Raw = Record<'hash' | 'from' | 'nonce' | 'value', string> & { to: string | null }
  for (let number = 0; number <= head; number += 1) {
    const block = await node.rpc<{ transactions: Raw[] }>('eth_getBlockByNumber', [hex(number), true])
    for (const { hash, from, to, nonce, value } of block.transactions) {
      const parties = { from: from.toLowerCase(), to: to?.toLowerCase() ?? '' }
      mined.push({ chain, hash, ...parties, nonce: Number(nonce), value: BigInt(value) })
    }
  }
  return mined
}

async function decode(sending: Sending): Promise<Broadcast> {
  const serializedTransaction = sending.raw as TransactionSerializedGeneric
  const { to, nonce = 0, value = 0n } = parseTransaction(serializedTransaction)
  const from = (
    await recoverTransactionAddress({ serializedTransaction: serializedTransaction as `0x02${string}` })
  ).toLowerCase()
  return Object.assign({}, sending, { from, to: to?.toLowerCase() ?? '', nonce, value })
}
