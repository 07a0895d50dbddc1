// The scene with what an installation of some years has: many relayers, long names, long labels and large amounts.
import { createHash, randomUUID } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import type { Hex } from '../../src/domain/ids.ts'
import { devAccount } from '../dev-accounts.ts'
import { type Scene, setScene } from './scene.ts'

export interface Crowd extends Scene {
  /** Of the relayer `market`: its newest transaction, with labels of full length, and on hold. */
  readonly labeled: string
  /** A bulk cancellation at all relayers. */
  readonly bulk: string
}

const keyOf = (id: string): Hex => `0x${createHash('sha256').update(id).digest('hex')}`
const ether = 10n ** 18n

const ids = [
  ...['payouts-to-merchants-of-europe', 'payouts-to-merchants-of-south-asia', 'oracle-price-feed-primary-eu-west-1'],
  ...[
    'liquidations-of-undercollateralized',
    'nft-marketplace-settlement-mainnet',
    'bridge-withdrawals-arbitrum-to-main',
  ],
  ...Array.from({ length: 18 }, (_, index) => `settlement-${String(index + 1).padStart(2, '0')}`),
]

const pausedNetwork = 'arbitrum-one-by-two-providers'
const onPausedNetwork = ids.slice(3, 6)
/** Its balance covers no send. */
export const poor = ids[1] ?? ''

/** The relayers of the scene and 24 more: one without money for what it sends, and some on a network that is paused. */
export async function setCrowd(): Promise<Crowd> {
  const relayers = ids.map((id) => ({
    id,
    name: `${id.replaceAll('-', ' ')} (weekly, by the treasury)`,
    privateKey: keyOf(id),
    ...(onPausedNetwork.includes(id) && { network: pausedNetwork }),
  }))
  await using pieces = new AsyncDisposableStack()
  const scene = pieces.use(await setScene({ queued: 60, others: { network: pausedNetwork, relayers } }))
  const { client, anvil } = scene
  for (const [index, id] of ids.entries()) {
    const balance = id === poor ? ether / 100n : 1_234_567n * ether + BigInt(index) * 123_456_789_012_345_678n
    await anvil.rpc('anvil_setBalance', [privateKeyToAddress(keyOf(id)), `0x${balance.toString(16)}`])
  }
  const done = async (method: 'POST' | 'PUT' | 'PATCH', path: string, body: object) => {
    const answer = await client.request(method, path, { body, headers: { 'idempotency-key': randomUUID() } })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return (answer.body as { readonly data: { readonly id: string } }).data
  }
  const payment = { to: devAccount(9).address, value: '1', speed: 'average', gas_limit: 21_000 }
  // 100.0001 ether are missing for the first, and twice that for both.
  for (const each of [1, 2])
    await done('POST', `/relayers/${poor}/transactions`, { ...payment, value: `${100n * ether + BigInt(each)}` })
  await done('POST', '/bulk-cancellations', {
    name: 'Payments to the address of the phishing mail',
    reason:
      'The receiver is not the merchant: see the report of the security team, and ask them before anything is sent again.',
    filter: {
      to: `0x${'22'.repeat(20)}`,
      value_from: '1000000000000000',
      older_than: '10m',
      tag: ['payroll-2026-03', 'second-attempt'],
    },
    relayers: ['market', ...ids.slice(0, 5)],
  })
  const { id: bulk } = await done('POST', '/bulk-cancellations', { filter: { nonce_to: 0 }, relayers: 'all' })
  for (const name of ['payments-service-production-eu-west', 'on-call']) {
    const scopes = name === 'on-call' ? ['read', 'cancel', 'pause'] : ['read', 'send', 'cancel', 'release']
    await done('POST', '/api-keys', { name, scopes, relayers: name === 'on-call' ? ['market'] : ids.slice(0, 6) })
  }
  const labels = {
    external_id: 'invoice-2026-03-31-merchant-4711-second-attempt-after-the-refund-of-the-first-one',
    tags: ['payroll-2026-03', 'approved-by-the-treasury-of-the-european-subsidiary', 'second-attempt'],
    note: 'Approved by the treasury after a call with the merchant, who had changed its address in March. Ask Ana before it is replaced.',
  }
  const { id: labeled } = await done('POST', '/relayers/market/transactions', {
    ...{ ...payment, value: `${1_234_567n * ether + 891_234_567_891_234_567n}`, hold: true, ...labels },
  })
  await done('PUT', `/networks/evm:${pausedNetwork}/pause`, {
    note: 'The sequencer has halted, and its operator expects to be back by four; see the status page before this is lifted.',
  })
  const kept = pieces.move()
  return { ...scene, labeled, bulk, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
