// A service over endpoints in every state: good ones, one that lags, one that fails, one of another chain. For tests of the
// dashboard's page of nodes.
import { randomBytes } from 'node:crypto'
import { devAccount, startAnvil } from '../anvil.ts'
import { type Client, openClient, until } from '../client.ts'
import { openLine } from '../line.ts'
import { type Service, startService } from '../service.ts'

export interface NodesScene extends AsyncDisposable {
  readonly service: Service
  readonly client: Client
  /** In the path of each URL. No answer may hold it. */
  readonly secret: string
  /** No endpoint of `calm` answers from now on. */
  cutCalm(): Promise<void>
}

/** By their positions in `rpc_urls`. */
export const seats = { good: 0, other: 1, lagging: 2, failing: 3, wrongChain: 4 } as const

const latest = ['latest', false] as const

/** The relayer `busy` is on the network `mixed`, and follows its head; `quiet` is on `calm`, and idle. No relayer is on `unused`. */
export async function setNodesScene(): Promise<NodesScene> {
  await using pieces = new AsyncDisposableStack()
  const anvil = pieces.use(await startAnvil({ mining: { intervalMs: 1_000 } }))
  const wrong = pieces.use(await startAnvil({ mining: 'auto', chainId: 1_337 }))
  const good = pieces.use(await openLine(anvil.url))
  const other = pieces.use(await openLine(anvil.url))
  const lagging = pieces.use(await openLine(anvil.url))
  const failing = pieces.use(await openLine(anvil.url))
  const elsewhere = pieces.use(await openLine(wrong.url))
  const calm = pieces.use(await openLine(wrong.url))
  const secret = randomBytes(12).toString('hex')
  const at = (url: string) => `${url.replace(/\/$/, '')}/v3/${secret}`
  const service = pieces.use(
    await startService({
      networks: [
        {
          name: 'mixed',
          rpcUrls: [good, other, lagging, failing, elsewhere].map(({ url }) => url).map(at),
          // An open transaction keeps the service following the head.
          requiredConfirmations: 10_000,
          averageBlocktimeMs: 1_000,
        },
        { name: 'calm', chainId: 1_337, rpcUrls: [at(calm.url)], averageBlocktimeMs: 1_000 },
        { name: 'unused', chainId: 5, rpcUrls: [`https://unused.example/${secret}`] },
      ],
      relayers: [
        { id: 'busy', privateKey: devAccount(0).key },
        { id: 'quiet', privateKey: devAccount(1).key, network: 'calm' },
      ],
      env: { STORAGE_ENCRYPTION_KEY: randomBytes(32).toString('base64') },
    }),
  )
  const client = pieces.use(openClient(service.url, service.apiKey))
  await client.send('busy', { to: devAccount(9).address, value: '1', speed: 'fast' })
  await until(async () => Number(await anvil.rpc('eth_blockNumber')) > 2, { what: 'some blocks' })
  const old = await anvil.rpc('eth_getBlockByNumber', latest)
  const isLatest = (params: readonly unknown[]) => params[0] === 'latest'
  lagging.onRequest(() => ({
    do: 'lie',
    lie: ({ method, params }) => (method === 'eth_getBlockByNumber' && isLatest(params) ? { result: old } : undefined),
  }))
  failing.onRequest(() => ({ do: 'say', status: 503, body: `no upstream for /v3/${secret}` }))
  const kept = pieces.move()
  return { service, client, secret, cutCalm: calm.cut, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
