// A service behind a gateway that refuses batches, from its start on: sends are mined, and cancellations race.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import type { TransactionView } from '../../tooling/client.ts'
import { type Refusal, refusals, refusing } from '../../tooling/refused-batches.ts'
import { type RpcServer, startRpcServer } from '../../tooling/rpc-server.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, mineUntil, noOpInPool, type Payment, verdict } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const relayer = 'behind'

interface Behind {
  readonly stage: Stage<Anvil>
  readonly gateway: RpcServer
}

/** The service reaches the node only through the gateway, which starts before it. */
async function withGateway(how: Refusal, callsMax: number, body: (behind: Behind) => Promise<void>): Promise<void> {
  await using pieces = new AsyncDisposableStack()
  const gateways: RpcServer[] = []
  const stage = pieces.use(
    await anvilStage({
      relayers: { [relayer]: { max_in_flight: 64 } },
      endpoints: async ({ node }) => {
        const gateway = pieces.use(await startRpcServer({ forwardTo: node }))
        gateway.react(refusing(how, callsMax, { do: 'forward' }))
        gateways.push(gateway)
        return [gateway.url]
      },
    }),
  )
  const [gateway] = gateways
  if (!gateway) throw new Error('the stage has no endpoints')
  await body({ stage, gateway })
}

async function payAtOnce({ stage }: Behind, count: number): Promise<readonly Payment[]> {
  const sender = stage.sender(relayer)
  const sends = Array.from({ length: count }, (_, index) => ({
    to: `0x${randomBytes(20).toString('hex')}`,
    value: String(index + 1),
    gas_limit: 21_000,
  }))
  const answer = await stage.client.request('POST', `/relayers/${relayer}/transactions/batch`, {
    body: { transactions: sends },
  })
  expect(answer.status).toBe(200)
  const { data } = answer.body as { data: readonly TransactionView[] }
  return data.map(({ id }, index) => ({ sender, id, to: sends[index]?.to ?? '', value: BigInt(index + 1) }))
}

/** All but the last are confirmed, and the last, canceled while it was in the pool, has lost to its no-op. */
async function playToTheEnd({ stage }: Behind, payments: readonly Payment[]): Promise<void> {
  const [last, ...others] = payments.toReversed()
  if (!last) throw new Error('there are no payments')
  await inPool(stage, stage.sender(relayer), [...payments.keys()])
  await cancel(stage, last)
  await noOpInPool(stage, last)
  const areConfirmed = async () => {
    const statuses = await Promise.all(others.map(async ({ id }) => (await stage.client.get(relayer, id)).status))
    return statuses.every((status) => status === 'confirmed')
  }
  await mineUntil(stage, 'all others to be confirmed', areConfirmed)
  expect(await verdict(stage, last, ({ state }) => state !== 'racing')).toMatchObject({ state: 'won' })
  await audit(stage, stage.sender(relayer))
}

/** Ways that have neither status nor shape in common. */
const unlike = [
  'HTTP 400 and text',
  'HTTP 403 and a page',
  'HTTP 413 and a limit exceeded',
  'a bare object',
  'an empty list',
  'an error for the first call',
]
/** What gateways with a limit say. */
const sized = ['HTTP 413 and a limit exceeded', 'an error for the first call']
const ways = refusals.filter(({ name }) => unlike.includes(name)).map((how) => [how.name, how] as const)

test('the ways are there', () => expect(ways).toHaveLength(unlike.length))

test.each(ways)('%s to any batch', async (_, how) => {
  await withGateway(how, 1, async (behind) => {
    await playToTheEnd(behind, await payAtOnce(behind, 5))
    const batches = behind.gateway.requests.filter(({ batch }) => batch)
    expect(batches.flatMap(({ calls }) => calls.map(({ method }) => method))).toEqual([
      'eth_chainId',
      'web3_clientVersion',
    ])
  })
})

test.each(ways.filter(([name]) => sized.includes(name)))(
  '%s above ten calls, with sixty nonces in flight',
  async (_, how) => {
    await withGateway(how, 10, async (behind) => {
      await playToTheEnd(behind, await payAtOnce(behind, 60))
      const { requests } = behind.gateway
      const sends = requests.map(
        ({ calls }) => calls.filter(({ method }) => method === 'eth_sendRawTransaction').length,
      )
      expect(sends).toContain(10)
      // Sends go out one request after the other, so that one refusal at most is met with sends.
      expect(sends.filter((count) => count > 10).length).toBeLessThanOrEqual(1)
      expect(behind.stage.service.logs()).toContain('"calls":10')
    })
  },
)
