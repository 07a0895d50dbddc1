// A burst of 10,000 transactions at one relayer with the policies of the example configuration, on blocks of one second and
// 300 million gas: in how many blocks it is confirmed, and at what cost.
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { openClient, until } from '../tooling/client.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { processorSeconds } from './processor-time.ts'

const count = 10_000
const inBatch = 500
const blockGas = 300_000_000

export async function measureBurst(options: BenchOptions): Promise<Figure[]> {
  await using anvil = await startAnvil({ mining: { intervalMs: 1_000 }, blockGas })
  await using service = await startBenchService(options, {
    profileName: 'burst',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1_000, requiredConfirmations: 1 }],
    relayers: [{ id: 'bench', privateKey: devAccount(0).key, policies: { gas_price_cap: 100_000_000_000 } }],
  })
  await using client = openClient(service.url, service.apiKey)
  const height = async () => Number(await anvil.rpc('eth_blockNumber'))
  const [firstBlock, usedBefore, begun] = [await height(), await processorSeconds(service.pid), performance.now()]
  const body = { to: devAccount(1).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }
  const transactions = Array.from({ length: inBatch }, () => body)
  for (let sent = 0; sent < count; sent += inBatch) {
    await client.request('POST', '/relayers/bench/transactions/batch', { body: { transactions } })
  }
  await until(
    async () => Number(await anvil.rpc('eth_getTransactionCount', [devAccount(0).address, 'latest'])) === count,
    {
      what: 'all to be mined',
      limitMs: 1_800_000,
      everyMs: 100,
    },
  )
  const [lastBlock, seconds] = [await height(), (performance.now() - begun) / 1_000]
  const used = (await processorSeconds(service.pid)) - usedBefore
  await service.stop()
  return [
    {
      name: `a burst of ${count.toLocaleString('en-US')} to one relayer, until the last is mined`,
      value: lastBlock - firstBlock,
      unit: 'blocks',
      aim: '60 or less',
    },
    { name: '… of blocks of a second', value: seconds, unit: 's' },
    { name: '… processor time of the service for each', value: (used / count) * 1e6, unit: 'µs' },
  ]
}
