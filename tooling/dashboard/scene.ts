// A service with one stuck relayer and five healthy ones, on a chain of its own: what the dashboard's tests and pictures show.
import { type Anvil, devAccount, startAnvil } from '../anvil.ts'
import { type Client, openClient, until } from '../client.ts'
import { type Service, startService } from '../service.ts'
import type { RelayerOptions } from '../service-files.ts'

export interface Scene extends AsyncDisposable {
  readonly anvil: Anvil
  readonly service: Service
  readonly client: Client
  /** Of the relayer `payouts`, lowest nonce first. */
  readonly stuck: readonly string[]
}

const gwei = 1_000_000_000
/** Gwei: above the cap of `payouts`. */
const dear = 40
export const healthy = ['bridge', 'faucet', 'market', 'rewards', 'treasury'] as const
const receiver = devAccount(9).address
const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const transfer = `0xa9059cbb${receiver.slice(2).toLowerCase().padStart(64, '0')}${25_000_000n.toString(16).padStart(64, '0')}`

interface SceneOptions {
  /** Transactions of `payouts` that wait without a nonce. */
  readonly queued?: number
  /** Nothing was ever sent. */
  readonly isEmpty?: boolean
  /** Relayers beside those, and a second network of the same chain. */
  readonly others?: { readonly network: string; readonly relayers: readonly RelayerOptions[] }
}

export async function setScene({ queued = 8, isEmpty = false, others }: SceneOptions = {}): Promise<Scene> {
  await using pieces = new AsyncDisposableStack()
  const anvil = pieces.use(await startAnvil({ mining: 'manual', baseFee: BigInt(gwei) }))
  const service = pieces.use(
    await startService({
      networks: [
        { name: 'localhost', rpcUrls: [anvil.url], requiredConfirmations: 2, averageBlocktimeMs: 200 },
        ...(others ? [{ name: others.network, rpcUrls: [anvil.url] }] : []),
      ],
      relayers: [
        { id: 'payouts', privateKey: devAccount(0).key, policies: { gas_price_cap: 3 * gwei, max_in_flight: 4 } },
        ...healthy.map((id, index) => ({ id, privateKey: devAccount(index + 1).key, notificationId: 'pager' })),
        ...(others?.relayers ?? []),
      ],
      notifications: [{ id: 'pager', url: 'https://hooks.example.com/rescind' }],
    }),
  )
  const client = pieces.use(openClient(service.url, service.apiKey))
  const stuck = isEmpty ? [] : await play(anvil, client, queued)
  const kept = pieces.move()
  return { anvil, service, client, stuck, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const payment = { to: receiver, value: '1500000000000000', data: '0x', speed: 'average' }

async function play(anvil: Anvil, client: Client, queued: number): Promise<readonly string[]> {
  const before = await Promise.all(healthy.map((id) => client.send(id, payment)))
  const first = await Promise.all([1, 2, 3].map(() => client.send('payouts', payment)))
  await mined(anvil, client, [...before, ...first], 1)
  const stuck: string[] = []
  for (let count = 0; count < 4; count += 1) {
    const body = count === 1 ? { ...payment, to: usdc, value: '0', data: transfer, gas_limit: 60_000 } : payment
    stuck.push((await client.send('payouts', body)).id)
  }
  await until(async () => (await client.get('payouts', stuck[3] ?? '')).status === 'submitted', {
    what: 'four in flight',
  })
  // From here on the price is above the cap of `payouts`. The others pay it.
  for (let left = queued; left > 0; left -= 500) await enqueue(client, Math.min(left, 500))
  await mineAt(anvil, dear)
  const after = await Promise.all(healthy.slice(0, 3).map((id) => client.send(id, payment)))
  await mined(anvil, client, after, dear)
  await until(async () => /gas_price_cap/.test((await client.get('payouts', stuck[0] ?? '')).status_reason ?? ''), {
    what: 'the cap to hold payouts up',
    limitMs: 60_000,
    everyMs: 200,
  })
  return stuck
}

async function enqueue(client: Client, count: number): Promise<void> {
  const body = { transactions: Array.from({ length: count }, () => payment) }
  const { status } = await client.request('POST', '/relayers/payouts/transactions/batch', { body })
  if (status !== 200) throw new Error(`a batch of ${count} was answered ${status}`)
}

/** A block whose base fee is `price`, whatever the blocks before it had. */
export async function mineAt(anvil: Anvil, price: number): Promise<void> {
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(price * gwei).toString(16)}`])
  await anvil.mine()
}

async function mined(
  anvil: Anvil,
  client: Client,
  sent: readonly { id: string; relayer_id: string }[],
  price: number,
): Promise<void> {
  await until(
    async () => {
      await mineAt(anvil, price)
      const all = await Promise.all(sent.map(({ id, relayer_id: relayer }) => client.get(relayer, id)))
      return all.every(({ status }) => status === 'confirmed')
    },
    { what: 'the transactions to be confirmed', everyMs: 300, limitMs: 60_000 },
  )
}
