// A node of one network answers with 31 MiB, from the start of the service on, which has a heap of 512 MiB. The process lives,
// and the other network's cancellations end. The ten minutes are a count of answers: a service without clients reads such a
// network once in four seconds, which makes 150 answers.
import { expect, test } from 'vitest'
import { devAccount, startAnvil } from '../../tooling/anvil.ts'
import { openClient, until } from '../../tooling/client.ts'
import { startLyingNode } from '../../tooling/lying-node.ts'
import type { Reaction, RpcRequest } from '../../tooling/rpc-server.ts'
import { startService } from '../../tooling/service.ts'

const mib = 1024 * 1024
const answers = 150
const heapMib = 512
const huge = (result: string): Reaction => ({ do: 'say', body: `{"jsonrpc":"2.0","id":1,${result}}` })
const kinds: readonly Reaction[] = [
  huge(`"result":"${'x'.repeat(31 * mib)}"`),
  huge(`"error":{"code":-32000,"message":"${'http://x '.repeat(3.4 * mib)}"}`),
  huge(`"result":[${'{},'.repeat(10 * mib)}{}]`),
  // Below every limit of a receipt, a block or an estimate, and as many objects as are parsed.
  huge(`"result":{"logs":[${`{"a":"${'0'.repeat(20)}"},`.repeat(0.7 * mib)}{}]}`),
]
const larger = ['eth_getTransactionReceipt', 'eth_estimateGas', 'eth_feeHistory']

test('a node of one network answers with 31 MiB: the process lives, and the other network cancels', {
  timeout: 400_000,
}, async () => {
  await using quiet = await startAnvil({ mining: 'manual' })
  await using behind = await startAnvil({ mining: 'manual' })
  await using liar = await startLyingNode(behind.url)
  let said = 0
  const next = () => kinds[said++ % kinds.length] ?? { do: 'forward' as const }
  liar.bend(next)
  await using service = await startService({
    networks: [
      { name: 'hostile', rpcUrls: [liar.url], averageBlocktimeMs: 100 },
      { name: 'quiet', rpcUrls: [quiet.url], averageBlocktimeMs: 100 },
    ],
    relayers: [
      { id: 'victim', privateKey: devAccount(0).key, network: 'hostile' },
      { id: 'other', privateKey: devAccount(1).key, network: 'quiet' },
    ],
    nodeArguments: [`--max-old-space-size=${heapMib}`],
    env: { LOG_LEVEL: 'warn' },
  })
  await using client = openClient(service.url, service.apiKey)
  const { pid } = service
  const body = { to: devAccount(2).address, value: '1', speed: 'average' }
  const cancelOne = async () => {
    const { id } = await client.send('other', { ...body, gas_limit: 21_000 })
    await until(async () => (await client.get('other', id)).status !== 'pending', { what: 'a transaction to be sent' })
    await client.cancel('other', id)
    await until(
      async () => {
        await quiet.mine()
        return (await client.cancellation('other', id)).final
      },
      { what: () => `the other network's cancellation to end\n${service.logs().slice(-3000)}` },
    )
  }
  // Each kind of call leaves for the hostile network.
  for (let number = 0; number < 5; number += 1) await client.send('victim', body)
  let canceled = 0
  while (liar.lies() < answers - 20) {
    // Each of these reads gets an answer of 31 MiB, and fails.
    const reads = async () => {
      for (let number = 0; number < 8; number += 1) await client.request('GET', '/relayers/victim/balance')
    }
    await Promise.all([cancelOne(), reads()])
    canceled += 1
  }
  // Honest but for the answers that may be large: only these are received up to their limits.
  liar.bend((request: RpcRequest) =>
    request.calls.some(({ method }) => larger.includes(method)) ? next() : { do: 'forward' },
  )
  while (liar.lies() < answers) {
    await behind.mine()
    await cancelOne()
    canceled += 1
  }
  expect(canceled).toBeGreaterThan(5)
  expect(service.pid).toBe(pid)
  expect((await fetch(`${service.url}/api/v1/health`)).status).toBe(200)
  liar.repent()
  const { id } = await client.send('victim', { ...body, gas_limit: 21_000 })
  await until(
    async () => {
      await behind.mine()
      return ['mined', 'confirmed'].includes((await client.get('victim', id)).status)
    },
    { what: () => `the hostile network to go on\n${service.logs().slice(-3000)}`, limitMs: 60_000 },
  )
  await service.stop()
})
