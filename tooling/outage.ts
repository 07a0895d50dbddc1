// An outage on two chains: of four relayers one has no node, one has no money, one has a cap below the price, and one is well.
import { type Anvil, devAccount, startAnvil } from './anvil.ts'
import { type Client, openClient, until } from './client.ts'
import { type Line, openLine } from './line.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

const gwei = 1_000_000_000n
const ether = 10n ** 18n
const to = devAccount(5).address
const names = ['capped', 'down', 'poor', 'well'] as const
type OutageRelayer = (typeof names)[number]

export interface Outage extends AsyncDisposable {
  readonly service: Service
  readonly client: Client
  /** To the node of the relayer `down`. */
  readonly line: Line
  send(relayer: OutageRelayer, value: bigint): Promise<string>
  setBalance(relayer: OutageRelayer, wei: bigint): Promise<unknown>
  /** A block of each chain that costs 40 gwei; that of `down` only once its node is back. */
  mine(): Promise<void>
  /** The line to the node of `down` is cut, with two of its transactions in flight. `poor` and `capped` have a queue of two each. */
  begin(): Promise<Readonly<Record<'inFlight' | 'poor' | 'capped', readonly string[]>>>
  /** The node of `down` is back, and has the no-ops of these before it makes a block. */
  end(canceled: readonly string[]): Promise<void>
}

/** `main`: what runs; the tested service by default. */
export async function openOutage(main?: ServiceOptions['main']): Promise<Outage> {
  await using opened = new AsyncDisposableStack()
  const anvil = opened.use(await startAnvil({ mining: 'manual', baseFee: gwei }))
  const apart = opened.use(await startAnvil({ mining: 'manual', chainId: 1_337 }))
  const line = opened.use(await openLine(apart.url))
  const service = opened.use(
    await startService({
      ...(main && { main }),
      networks: [
        { name: 'local', rpcUrls: [anvil.url], averageBlocktimeMs: 200 },
        { name: 'apart', chainId: 1_337, rpcUrls: [line.url], averageBlocktimeMs: 200 },
      ],
      relayers: names.map((id, index) => ({
        ...{ id, privateKey: devAccount(index).key },
        ...(id === 'down' && { network: 'apart' }),
        ...(id === 'capped' && { policies: { gas_price_cap: Number(3n * gwei) } }),
      })),
    }),
  )
  const client = opened.use(openClient(service.url, service.apiKey))
  let isApartDown = false
  const send: Outage['send'] = async (relayer, value) =>
    (await client.send(relayer, { to, value: String(value), gas_limit: 21_000, speed: 'fast' })).id
  const setBalance: Outage['setBalance'] = (relayer, wei) =>
    anvil.rpc('anvil_setBalance', [devAccount(names.indexOf(relayer)).address, `0x${wei.toString(16)}`])
  const all = opened.move()
  return {
    ...{ service, client, line, send, setBalance },
    mine: async () => {
      await mineDearly(anvil)
      if (!isApartDown) await apart.mine()
    },
    async begin() {
      await setBalance('poor', ether / 2n)
      await mineDearly(anvil)
      const inFlight = [await send('down', 1n), await send('down', 2n)]
      for (const id of inFlight)
        await until(async () => (await client.get('down', id)).status === 'submitted', { what: 'bytes in the pool' })
      isApartDown = true
      await line.cut()
      const poor = [await send('poor', ether), await send('poor', ether)]
      return { inFlight, poor, capped: [await send('capped', 1n), await send('capped', 2n)] }
    },
    async end(canceled) {
      await line.mend()
      for (const id of canceled) await noOpInPool(client, apart, id)
      isApartDown = false
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function mineDearly(anvil: Anvil): Promise<void> {
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(40n * gwei).toString(16)}`])
  await anvil.mine()
}

async function noOpInPool(client: Client, chain: Anvil, id: string): Promise<void> {
  await until(
    async () => {
      const noOp = (await client.attempts('down', id)).find(({ kind }) => kind === 'cancel')
      return noOp !== undefined && (await chain.rpc('eth_getTransactionByHash', [noOp.hash])) !== null
    },
    { what: 'a no-op in the pool', limitMs: 90_000 },
  )
}
