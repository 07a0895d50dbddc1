// The least that a confirmed transaction can cost on this stack: a signature, one row in SQLite with `synchronous=FULL`, one call in a
// batch to the node, and one update by the block's receipts. No queue, no prices, no HTTP server, and nothing for a crash.
// Started as a process of its own by e2e.ts: `node bench/bare-relay.ts DATABASE_FILE`. It gets one job, and reports its end.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { privateKeyToAddress } from 'viem/accounts'
import { hexToBytes } from 'viem/utils'
import type { Address, Hash, Hex } from '../src/domain/ids.ts'
import { openCurve } from '../src/signers/curve.ts'
import { signUnsigned } from '../src/signers/sign-unsigned.ts'

export interface RelayJob {
  /** Of the node. */
  readonly url: string
  readonly chainId: number
  readonly blocktimeMs: number
  /** The account that gets one wei of each. */
  readonly to: Address
  /** The senders take turns. */
  readonly keys: readonly Hex[]
  readonly transactions: number
  /** So many are signed, recorded in one commit, and sent in one batch. */
  readonly atOnce: number
  /** From one batch to the next; 0: each follows the one before. */
  readonly everyMs: number
}

interface Receipt {
  readonly transactionHash: Hash
  readonly status: Hex
  readonly blockNumber: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
}

const database = new Database(process.argv[2] ?? ':memory:')
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec(
  'CREATE TABLE attempts (hash TEXT PRIMARY KEY, sender TEXT, nonce INTEGER, raw TEXT, status TEXT, block INTEGER, gas_used INTEGER, price TEXT) WITHOUT ROWID',
)
const insert = database.prepare('INSERT INTO attempts (hash, sender, nonce, raw) VALUES (?, ?, ?, ?)')
const confirm = database.prepare('UPDATE attempts SET status = ?, block = ?, gas_used = ?, price = ? WHERE hash = ?')
const curve = await openCurve(pino())

process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
const [job] = (await once(process, 'message')) as [RelayJob]
await Promise.all([sendAll(job), confirmAll(job)])
process.send?.({ done: true })

async function sendAll({ url, chainId, to, keys, transactions, atOnce, everyMs }: RelayJob): Promise<void> {
  const senders = keys.map((key) => ({ address: privateKeyToAddress(key), key: hexToBytes(key), nonce: 0 }))
  const fees = { kind: 'eip1559', maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n } as const
  const begun = performance.now()
  for (let sent = 0; sent < transactions; sent += atOnce) {
    if (everyMs > 0) await sleep(Math.max(0, begun + (sent / atOnce) * everyMs - performance.now()))
    const attempts = await Promise.all(
      Array.from({ length: Math.min(atOnce, transactions - sent) }, async (_, index) => {
        const sender = senders[(sent + index) % senders.length]
        if (!sender) throw new Error('a job needs keys')
        const { address, key } = sender
        const nonce = sender.nonce++
        const signed = await signUnsigned(
          { chainId, nonce, fees, gasLimit: 21_000, to, value: 1n, data: '0x' },
          key,
          curve,
        )
        return { ...signed, address, nonce }
      }),
    )
    commit(() => {
      for (const { hash, address, nonce, raw } of attempts) insert.run(hash, address, nonce, raw)
    })
    await callAll(
      url,
      attempts.map(({ raw }) => ['eth_sendRawTransaction', [raw]]),
    )
  }
}

async function confirmAll({ url, blocktimeMs, transactions }: RelayJob): Promise<void> {
  let confirmed = 0
  for (let read = 0; confirmed < transactions; await sleep(blocktimeMs / 2)) {
    const [head] = await callAll<Hex>(url, [['eth_blockNumber', []]])
    const blocks = Array.from({ length: Number(head) - read }, (_, index) => `0x${(read + 1 + index).toString(16)}`)
    if (blocks.length === 0) continue
    const receipts = await callAll<Receipt[]>(
      url,
      blocks.map((block) => ['eth_getBlockReceipts', [block]]),
    )
    commit(() => {
      for (const { status, blockNumber, gasUsed, effectiveGasPrice, transactionHash } of receipts.flat())
        confirm.run(status, Number(blockNumber), Number(gasUsed), effectiveGasPrice, transactionHash)
    })
    confirmed += receipts.flat().length
    read += blocks.length
  }
}

function commit(write: () => void): void {
  database.transaction(write).immediate()
}

/** One HTTP request. Throws at the first call that the node refuses. */
async function callAll<T>(url: string, calls: readonly (readonly [string, readonly unknown[]])[]): Promise<T[]> {
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = (await response.json()) as { id: number; result?: T; error?: { message: string } }[]
  return answers
    .toSorted((one, other) => one.id - other.id)
    .map(({ result, error }) => {
      if (result === undefined) throw new Error(`the node refused a call of the bare loop: ${error?.message}`)
      return result
    })
}
