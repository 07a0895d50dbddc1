// A key that is bound to relayers, at signers, notifications and networks: it sees what its relayers use, and nothing else.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type Client, openClient } from '../../tooling/client.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { manage, refused } from './support/manager.ts'

let node: Anvil
let service: Service
let administrator: Client
let bound: Client
beforeAll(async () => {
  node = await startAnvil({ mining: 'manual' })
  service = await startService({
    networks: [
      { name: 'ours', rpcUrls: [node.url] },
      { name: 'others', rpcUrls: ['https://others.example/v3/secret'], chainId: 5 },
    ],
    relayers: [
      { id: 'mine', privateKey: devAccount(0).key, notificationId: 'my-hook' },
      { id: 'theirs', privateKey: `0x${'1'.repeat(64)}`, network: 'others', notificationId: 'their-hook' },
    ],
    notifications: [
      { id: 'my-hook', url: 'https://hooks.example/mine' },
      { id: 'their-hook', url: 'https://customer.example/theirs' },
    ],
  })
  administrator = openClient(service.url, service.apiKey)
  const rights = { name: 'bound', scopes: ['read'], relayers: ['mine'] }
  bound = openClient(service.url, (await manage(administrator, 'POST', '/api-keys', rights)).key)
})
afterAll(async () => {
  await bound?.[Symbol.asyncDispose]()
  await administrator?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await node?.[Symbol.asyncDispose]()
})

const kinds = [
  { path: '/signers', own: 'signer-mine', other: 'signer-theirs', unknown: 'signer-nobodys' },
  { path: '/notifications', own: 'my-hook', other: 'their-hook', unknown: 'nobodys-hook' },
  { path: '/networks', own: 'evm:ours', other: 'evm:others', unknown: 'evm:nobodys' },
]

test.each(kinds)(
  '$path: lists leave out entries that its relayers do not use, and count the rest',
  async ({ path, own, other }) => {
    const seenBy = async (client: Client) => {
      const { body } = await client.request('GET', path)
      const { data, pagination } = body as { data: { id: string }[]; pagination: { total_items: number } }
      return { ids: data.map(({ id }) => id), total: pagination.total_items }
    }
    expect(await seenBy(administrator)).toEqual({ ids: [own, other], total: 2 })
    expect(await seenBy(bound)).toEqual({ ids: [own], total: 1 })
  },
)

test.each(kinds)(
  '$path: an entry beyond its rights is answered like a missing one',
  async ({ path, own, other, unknown }) => {
    expect(await manage(bound, 'GET', `${path}/${own}`)).toMatchObject({ id: own })
    const hidden = await refused(bound, 'GET', `${path}/${other}`)
    const absent = await refused(bound, 'GET', `${path}/${unknown}`)
    expect(hidden.status).toBe(404)
    expect({ ...hidden, message: hidden.message.replace(other, unknown) }).toEqual(absent)
  },
)
