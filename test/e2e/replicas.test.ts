// Replicas on one database: each relayer has one owner, while replicas are killed, frozen, stopped or started.
import { type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { minedFrom, poolOf } from '../../tooling/ledger.ts'
import { openReplicas, type Replica, type Replicas } from '../../tooling/replicas.ts'

const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const ids = ['one', 'two', 'three', 'four']

/** Processes start, lose leases and come back: seconds each, and more on a busy machine. */
const limitMs = 180_000

let place: Replicas
beforeAll(async () => {
  place = await openReplicas({
    relayers: ids.map((id, index) => ({ id, privateKey: devAccount(index).key, policies: { max_in_flight: 8 } })),
  })
})
afterAll(() => place?.[Symbol.asyncDispose]())

const pay = ({ client }: Replica, relayer: string) =>
  client.send(relayer, { to: receiver, value: '1', gas_limit: 21_000, speed: 'average' })
const addressOf = (relayer: string) => devAccount(ids.indexOf(relayer)).address

async function inPool(relayer: string, nonces: readonly number[]): Promise<void> {
  let last = ''
  await until(
    async () => {
      last = String([...(await poolOf(place.node, addressOf(relayer))).keys()].sort((one, other) => one - other))
      return last === String(nonces)
    },
    { what: () => `nonces ${nonces} of ${relayer} in the pool; they are ${last}` },
  )
}

/** Mines until nothing is open, and compares the chain with the requests: each payment once, at nonces without a gap. */
async function settle(payments: ReadonlyMap<string, number>): Promise<void> {
  await until(
    async () => {
      await place.node.mine()
      const [row] = await place.query<{ n: number }>('SELECT count(*) AS n FROM transactions WHERE open = 1')
      return row?.n === 0
    },
    { everyMs: 100, limitMs: 30_000, what: 'nothing to be open' },
  )
  for (const [relayer, count] of payments) {
    const mined = await minedFrom(place.node, addressOf(relayer))
    expect(mined.map(({ nonce }) => nonce)).toEqual(Array.from({ length: count }, (_, nonce) => nonce))
    expect(new Set(mined.map(({ hash }) => hash)).size).toBe(count)
  }
  const [rows] = await place.query<{ n: number }>("SELECT count(*) AS n FROM transactions WHERE status <> 'confirmed'")
  expect(rows?.n).toBe(0)
}

/** Whatever left a replica was recorded before. */
async function onlyWhatIsRecorded({ line }: Replica): Promise<void> {
  const recorded = await recordedHashes()
  expect(hashesOf(line.sent()).filter((hash) => !recorded.includes(hash))).toEqual([])
}

/** Finality keeps them: it drops the bytes of an attempt. */
async function recordedHashes(): Promise<readonly string[]> {
  const rows = await place.query<{ hash: string }>('SELECT hash FROM attempts ORDER BY hash')
  return rows.map(({ hash }) => hash)
}

const hashesOf = (raws: readonly string[]) => raws.map((raw) => keccak256(raw as Hex))

const signal = ({ service }: Replica, name: 'SIGSTOP' | 'SIGCONT') => process.kill(service.pid, name)

test(
  'replicas share relayers, take over from one that is killed, and release some to one that comes',
  async () => {
    await using started = new AsyncDisposableStack()
    const a = await place.add('a')
    await place.shared({ a: 4 })
    const b = await place.add('b')
    started.use(a.service)
    started.use(b.service)
    await place.shared({ a: 2, b: 2 })
    // On any replica: the owner gets a hint.
    for (const relayer of ids) await pay(relayer === 'one' ? a : b, relayer)
    for (const relayer of ids) await inPool(relayer, [0])
    await a.service.kill9()
    await place.shared({ b: 4 })
    for (const relayer of ids) await pay(b, relayer)
    for (const relayer of ids) await inPool(relayer, [0, 1])
    await a.service.restart()
    await place.shared({ a: 2, b: 2 })
    await a.service.stop()
    await place.shared({ b: 4 })
    await settle(new Map(ids.map((id) => [id, 2])))
    await b.service.stop()
    await place.shared({})
  },
  limitMs,
)

test(
  'one that stood still for longer than its lease wakes up, writes nothing, sends nothing new, and joins anew',
  async () => {
    await using started = new AsyncDisposableStack()
    const a = await place.add('a')
    started.use(a.service)
    await place.shared({ a: 4 })
    const before = (await minedFrom(place.node, addressOf('one'))).length
    // A step is under way: it has read the rows, and the chain's answer comes when they are old.
    a.line.onRequest(() => ({ do: 'delay', ms: 2_000, next: { do: 'forward' } }))
    const requested = a.line.calls('eth_getTransactionCount').length + a.line.calls('eth_blockNumber').length
    const first = await pay(a, 'one')
    await until(
      () => a.line.calls('eth_getTransactionCount').length + a.line.calls('eth_blockNumber').length > requested,
      {
        what: 'a step under way',
      },
    )
    signal(a, 'SIGSTOP')
    const b = await place.add('b')
    started.use(b.service)
    await place.shared({ b: 4 })
    await pay(b, 'one')
    await inPool('one', [before, before + 1])
    const epochs = await place.query("SELECT id, epoch FROM relayers WHERE id = 'one'")
    const recorded = await recordedHashes()
    const sent = a.line.sent().length
    a.line.open()
    signal(a, 'SIGCONT')
    await until(() => a.service.logs().includes('the session that holds the locks is lost'), { what: 'it to notice' })
    await place.shared({ a: 2, b: 2 })
    expect(await recordedHashes()).toEqual(recorded)
    const again = hashesOf(a.line.sent().slice(sent))
    expect(again.filter((hash) => !recorded.includes(hash))).toEqual([])
    if ((await place.ownerOf('one')) === 'b') {
      expect(await place.query("SELECT id, epoch FROM relayers WHERE id = 'one'")).toEqual(epochs)
    }
    expect((await b.client.attempts('one', first.id)).length).toBe(1)
    await settle(new Map([['one', before + 2]]))
    await onlyWhatIsRecorded(a)
  },
  limitMs,
)

test(
  'one that takes requests only reports verdicts of another, and one that advances only takes none',
  async () => {
    await using started = new AsyncDisposableStack()
    const api = await place.add('api', { env: { ROLE: 'api' } })
    started.use(api.service)
    const before = (await minedFrom(place.node, addressOf('two'))).length
    const alone = await pay(api, 'two')
    await place.shared({})
    const worker = await place.add('worker', { env: { ROLE: 'worker' } })
    started.use(worker.service)
    await place.shared({ worker: 4 })
    await inPool('two', [before])
    const refused = await worker.client.request('GET', '/relayers')
    expect(refused.status).toBe(404)
    expect((await worker.client.request('GET', '/health')).body).toBe('OK')

    const canceled = await pay(api, 'two')
    await inPool('two', [before, before + 1])
    const answered = api.client.cancel('two', canceled.id, { prefer: 'wait=20' })
    const mining = new AbortController()
    const mined = (async () => {
      while (!mining.signal.aborted) {
        await place.node.mine()
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })()
    expect(['canceled', 'mined', 'confirmed']).toContain((await answered).status)
    expect(await api.client.cancellation('two', canceled.id)).toMatchObject({ final: true })
    mining.abort()
    await mined
    expect((await api.client.get('two', alone.id)).status).toBe('confirmed')
    expect(api.line.sent()).toEqual([])
    expect(worker.line.sent().length).toBeGreaterThan(0)
  },
  limitMs,
)
