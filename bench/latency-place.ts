// A service on a chain whose node is far away.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, until } from '../tooling/client.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { type Broadcast, broadcastOf, type FarNode, startFarNode } from './far-node.ts'

export const relayer = 'bench'
export const ownAddress = devAccount(0).address.toLowerCase()
const blockGas = 300_000_000

export interface Row {
  readonly roundTripMs: number
  readonly blocktimeMs: number
}

export interface Place extends AsyncDisposable {
  readonly row: Row
  /** Undefined: the service finds out by itself. */
  readonly maxInFlight: number | undefined
  readonly anvil: Anvil
  readonly node: FarNode
  readonly client: Client
}

export function rowName({ roundTripMs, blocktimeMs }: Row): string {
  return `${roundTripMs}/${blocktimeMs}`
}

export function inWords({ roundTripMs, blocktimeMs }: Row): string {
  return `round trip ${roundTripMs} ms, blocks of ${blocktimeMs.toLocaleString('en-US')} ms`
}

export async function openPlace(options: BenchOptions, row: Row, maxInFlight?: number): Promise<Place> {
  const { roundTripMs, blocktimeMs } = row
  await using opened = new AsyncDisposableStack()
  const anvil = opened.use(await startAnvil({ mining: { intervalMs: blocktimeMs }, blockGas }))
  const node = opened.use(await startFarNode(anvil.url, roundTripMs))
  const service = opened.use(
    await startBenchService(options, {
      profileName: `latency-${roundTripMs}-${blocktimeMs}-${maxInFlight ?? 'usual'}`,
      networks: [{ name: 'localhost', rpcUrls: [node.url], requiredConfirmations: 1, averageBlocktimeMs: blocktimeMs }],
      relayers: [
        {
          id: relayer,
          privateKey: devAccount(0).key,
          policies: maxInFlight === undefined ? {} : { max_in_flight: maxInFlight },
        },
      ],
    }),
  )
  const client = opened.use(openClient(service.url, service.apiKey))
  const everything = opened.move()
  return { row, maxInFlight, anvil, node, client, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

export function payment(value = 1) {
  return { to: devAccount(1).address, value: String(value), data: '0x', gas_limit: 21_000, speed: 'average' }
}

export function isNoOp({ to, value }: Broadcast): boolean {
  return to === ownAddress && value === 0n
}

/** When the last of `count` such broadcasts, of different nonces, has left, since `sinceMs`. */
export async function untilLeft(
  { node }: Place,
  sinceMs: number,
  isOne: (each: Broadcast) => boolean,
  count = 1,
): Promise<number> {
  let at = node.requests.length
  while (at > 0 && (node.requests[at - 1]?.atMs ?? 0) >= sinceMs) at -= 1
  const leftAt = new Map<number, number>()
  const isLeft = () => {
    for (; at < node.requests.length; at += 1) {
      const { atMs, raws } = node.requests[at] ?? { atMs: 0, raws: [] }
      for (const each of raws.map(broadcastOf)) if (isOne(each) && !leftAt.has(each.nonce)) leftAt.set(each.nonce, atMs)
    }
    return leftAt.size >= count
  }
  await until(isLeft, {
    everyMs: 5,
    limitMs: 60_000,
    what: () => `${count} broadcasts to leave: ${leftAt.size} have left`,
  })
  return Math.max(...leftAt.values())
}

/** No transaction is open, and none that was canceled has a no-op in flight. */
export async function untilIdle({ anvil, client, row }: Place): Promise<void> {
  for (const status of ['pending', 'sent', 'submitted', 'mined']) {
    const isOver = async () => {
      const { body } = await client.request('GET', `/relayers/${relayer}/transactions?per_page=1&status=${status}`)
      return (body as { pagination: { total_items: number } }).pagination.total_items === 0
    }
    await until(isOver, { everyMs: 50, limitMs: 120_000, what: `no transaction to be ${status}` })
  }
  const isMined = async () => {
    const [mined, sent] = await Promise.all(['latest', 'pending'].map((block) => countOf(anvil, block)))
    return mined === sent
  }
  await until(isMined, { everyMs: 50, limitMs: 120_000, what: 'all no-ops to be mined' })
  // Until the head has been read again, and the calls that follow have left.
  await sleep(Math.min(4_000, row.blocktimeMs) + 4 * row.roundTripMs)
}

/** The account's transactions at `latest` or `pending`. */
export async function countOf(anvil: Anvil, block: string): Promise<number> {
  return Number(await anvil.rpc('eth_getTransactionCount', [devAccount(0).address, block]))
}

export async function postMany({ client }: Place, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 200) {
    const transactions = Array.from({ length: Math.min(left, 200) }, () => payment())
    const { status } = await client.request('POST', `/relayers/${relayer}/transactions/batch`, {
      body: { transactions },
    })
    if (status !== 200) throw new Error(`a batch was answered with ${status}`)
  }
}
