// A name of a client's own on a real chain: it stays taken as long as its payload can execute, and is free from then on.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type Client, openClient, type SendBody, until } from '../../tooling/client.ts'
import { poolOf } from '../../tooling/ledger.ts'
import { startService } from '../../tooling/service.ts'

const payment = {
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: '1',
  gas_limit: 21_000,
  speed: 'average',
} as const
const limitMs = 120_000

describe('a name of its own', () => {
  let pieces: AsyncDisposableStack
  let node: Anvil
  let client: Client
  beforeAll(async () => {
    pieces = new AsyncDisposableStack()
    node = pieces.use(await startAnvil({ mining: 'manual' }))
    const service = pieces.use(
      await startService({
        networks: [{ name: 'localhost', rpcUrls: [node.url], averageBlocktimeMs: 100, requiredConfirmations: 3 }],
        relayers: ['one', 'two'].map((id, index) => ({
          ...{ id, privateKey: devAccount(index).key },
          policies: { max_in_flight: 1 },
        })),
      }),
    )
    client = pieces.use(openClient(service.url, service.apiKey))
  }, limitMs)
  afterAll(() => pieces?.disposeAsync())

  const named = (relayer: string, externalId: string, body: Partial<SendBody> = payment) =>
    client.request('POST', `/relayers/${relayer}/transactions`, { body: { ...body, external_id: externalId } })
  const idOf = ({ status, body }: Awaited<ReturnType<typeof named>>) => {
    expect(status, JSON.stringify(body)).toBe(200)
    return (body as { data: { id: string } }).data.id
  }

  async function isTaken(relayer: string, externalId: string, by: string): Promise<void> {
    const refused = await named(relayer, externalId)
    expect([refused.status, refused.headers['relayer-error-code']]).toEqual([409, 'EXTERNAL_ID_TAKEN'])
    expect(JSON.stringify(refused.body)).toContain(by)
  }

  /** Mines one block after another. As long as `mayExecute`, the name stays taken. Returns the id of the first send that may have it. */
  async function firstFree(
    relayer: string,
    externalId: string,
    by: string,
    mayExecute: () => Promise<boolean>,
  ): Promise<string> {
    return until(
      async () => {
        await node.mine()
        const again = await named(relayer, externalId)
        // The verdict may have come between the two requests, and never goes back.
        if (again.status === 200) expect(await mayExecute()).toBe(false)
        else expect(JSON.stringify(again.body)).toContain(by)
        return again.status === 200 && idOf(again)
      },
      { everyMs: 100, limitMs: 60_000, what: `the name ${externalId} to be free` },
    )
  }

  test(
    'of a transaction that expired in a pool: once its no-op has won for good',
    async () => {
      const validUntil = new Date(Date.now() + 3_000).toISOString()
      const id = idOf(await named('two', 'expires', { ...payment, valid_until: validUntil }))
      const inPool = async () => [...(await poolOf(node, devAccount(1).address)).values()]
      await until(async () => (await inPool()).length === 1, { what: 'it in the pool' })
      const payload = await inPool()
      const isExpired = async () => (await client.get('two', id)).status === 'expired'
      await until(isExpired, { limitMs: 60_000, what: 'its end' })
      expect(await client.cancellation('two', id)).toMatchObject({ final: false, safe_to_retry: false })
      await isTaken('two', 'expires', id)
      // Mined before its no-op is out, it would be executed.
      await until(async () => (await inPool()).every((hash) => !payload.includes(hash)), { what: 'its no-op' })
      const next = await firstFree(
        ...(['two', 'expires', id] as const),
        async () => !(await client.cancellation('two', id)).safe_to_retry,
      )
      await isTaken('two', 'expires', next)
    },
    limitMs,
  )
})
