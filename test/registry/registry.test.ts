// Two processes' registries over one store: a change by one reaches the other, in either order, and no more than that.
import { expect, test } from 'vitest'
import type { Chain } from '../../src/chain/chain.ts'
import { openChains } from '../../src/chain/replaceable.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { ShownMake } from '../../src/domain/network-profiles.ts'
import { ethereumProfile } from '../../src/domain/profile.ts'
import type { NetworkSettings } from '../../src/domain/settings.ts'
import { systemClock } from '../../src/ops/clock.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret, secretUrl } from '../../src/ops/secret.ts'
import { openVault } from '../../src/ops/vault.ts'

import { openRegistry } from '../../src/registry/open-registry.ts'
import {
  networkFromEntity,
  networkToEntity,
  relayerToEntity,
  sealEndpoints,
  signerToEntity,
} from '../../src/registry/stored-entities.ts'
import { openCurve } from '../../src/signers/curve.ts'
import { openPlainSigner } from '../../src/signers/key-signer.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { somePolicy, someRelayer } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'
import { openTestedStore } from '../support/open-tested-store.ts'

const relayer = someRelayer({ signerId: 'sealed', address: devAccount(1).address })
const vault = openVault({ current: secret(Buffer.alloc(32, 5).toString('base64')), previous: [] }, systemRandom())
const endpointOf = (host: string) => ({ url: secretUrl(new URL(`http://${host}/`)), weight: 100 })
const network: NetworkSettings = {
  ...{ name: relayer.network, chainId: relayer.chainId, rpcUrls: [endpointOf('filed')], requiredConfirmations: 1 },
  ...{
    averageBlockTimeMs: 100,
    isBlockTimeGiven: true,
    symbol: 'ETH',
    isTestnet: true,
    eip1559: true,
    profile: ethereumProfile,
    profileBasis: 'table',
    profileInFile: {},
    tags: [],
    features: ['eip1559'],
    explorerUrls: [],
    secondWitness: 'off',
  },
}
const facts = { id: 'sealed', type: 'plain', address: devAccount(1).address, config: {} } as const
const key = secret(devAccount(1).key)

/** A registry, the chains that it opened and closed, and the relayers that it last had to advance. */
async function process(store: Store, logger: Logger = quiet) {
  const opened: string[] = []
  const closed: string[] = []
  const keysOpened: string[] = []
  const advanced: string[][] = []
  const curve = await openCurve(quiet)
  const registry = await openRegistry({
    ...{ store, vault, logger, fileSigners: new Map(), policyFor: () => somePolicy, clock: systemClock },
    file: { relayers: [], signers: [], notifications: [], networks: [network], awaited: [] },
    async openSigner({ id }, key) {
      keysOpened.push(id)
      return openPlainSigner(id, key.reveal(), curve)
    },
    chains: openChains((settings: NetworkSettings) => {
      const hosts = settings.rpcUrls.map(({ url }) => String(url)).join()
      opened.push(hosts)
      return { close: async () => void closed.push(hosts) } as Partial<Chain> as Chain
    }),
  })
  await registry.assignTo(async (relayers) => void advanced.push([...relayers]))
  return { registry, opened, closed, keysOpened, advanced }
}

test('a signer and a relayer made by one are opened and advanced by the other, and let go when they are gone', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const [one, other] = [await process(store), await process(store)]
  await store.commit(async (session) => {
    await session.saveEntity(signerToEntity(vault, facts, key))
    await session.saveEntity(relayerToEntity(relayer.id, { origin: 'api' }, undefined))
    await session.saveRelayer(relayer)
  })
  expect(other.registry.signer('sealed')).toBeUndefined()
  for (const { registry, advanced, keysOpened } of [one, other]) {
    await registry.refresh()
    expect(registry.signer('sealed')?.address).toBe(facts.address)
    expect(advanced.at(-1)).toEqual([relayer.id])
    await Promise.all([registry.refresh(), registry.refresh()])
    // Nothing changed, so nothing is opened again, and no hint is sent.
    expect([keysOpened.length, advanced.length]).toEqual([1, 2])
  }
  await store.commit(async (session) => {
    await session.removeRelayer(relayer.id, 1)
    await session.removeEntity('relayer', relayer.id)
    await session.removeEntity('signer', 'sealed')
  })
  await other.registry.refresh()
  expect(other.registry.signer('sealed')).toBeUndefined()
  expect(other.advanced.at(-1)).toEqual([])
})

test('a chain is opened anew only where its endpoints or its rules changed, and stays the same object', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { registry, opened, closed } = await process(store)
  const at = { id: relayer.id, network: relayer.network }
  const chain = registry.chainOf(at)
  const patch = { rpcUrls: [endpointOf('patched')], requiredConfirmations: 9 }
  await store.commit((session) => session.saveEntity(networkToEntity(vault, network.name, patch)))
  await registry.refresh()
  expect(registry.chainOf(at)).toBe(chain)
  expect(registry.networks()).toMatchObject([{ requiredConfirmations: 9 }])
  expect([opened, closed]).toEqual([['filed', 'patched'], ['filed']])
  await store.commit((session) => session.raiseRevision())
  await registry.refresh()
  expect(opened).toHaveLength(2)
  await store.commit((session) => session.removeEntity('network', network.name))
  await registry.refresh()
  expect([opened, closed]).toEqual([
    ['filed', 'patched', 'filed'],
    ['filed', 'patched'],
  ])
})

test('what a chain shows of itself is read until it answers, and the profile follows it, also where that changes', async () => {
  await using under = await openTestedStore()
  const makes: ShownMake[] = ['nitro']
  const orders = [undefined, false, undefined, true]
  const pools: string[] = []
  const waits: number[] = []
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => (orders.length > 0 ? void waits.push(ms) : systemClock.sleep(ms)),
  }
  const chains = openChains(({ profile }: NetworkSettings) => {
    pools.push(profile.pool)
    const part: Partial<Chain> = {
      shownMake: async () => (waits.length === 0 ? undefined : makes.shift()),
      collectsTips: async () => orders.shift(),
      close: async () => undefined,
    }
    return part as Chain
  })
  const file = { relayers: [], signers: [], notifications: [], awaited: [] }
  const policyFor = ({ profile }: NetworkSettings) => ({ ...somePolicy, profile })
  await using registry = await openRegistry({
    ...{ store: under.store, vault, logger: quiet, fileSigners: new Map(), clock, chains, policyFor },
    file: { ...file, networks: [{ ...network, chainId: 4_242, profileInFile: { tipFloor: 7n } }] },
    openSigner: () => Promise.reject(new Error('there is none')),
  })
  await until(() => pools.at(-1) === 'private', { what: 'the order by tips' })
  await registry.refresh()
  expect([...new Set(pools)]).toEqual(['public', 'fcfs', 'private'])
  // The make, and then the order: until it is there, and from time to time.
  expect(waits).toEqual([60_000, 60_000, 3_600_000, 60_000])
  expect(registry.networks()).toMatchObject([{ profileBasis: 'shown', profile: { pool: 'private', tipFloor: 7n } }])
  expect(registry.policyOf(relayer).profile).toMatchObject({ pool: 'private', l1Fee: 'in_gas' })
})

test('what is sealed of endpoints comes back whole', () => {
  const rpcUrls = [{ ...endpointOf('sealed'), weight: 7, provider: 'one', headers: { 'x-api-key': secret('k') } }]
  const { name } = network
  const row = { ...networkToEntity(vault, name, { rpcUrls }), revision: 1 }
  const [back, ...others] = networkFromEntity(vault, row).rpcUrls ?? []
  expect(back).toMatchObject({ weight: 7, provider: 'one' })
  expect([back?.url.reveal(), back?.headers?.['x-api-key']?.reveal(), others]).toEqual(['http://sealed/', 'k', []])
})

test('an entry that can not be opened now is opened at the next look', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { registry } = await process(store)
  const row = signerToEntity(vault, facts, key)
  await store.commit((session) => session.saveEntity({ ...row, sealed: 'v1.other.key' }))
  await expect(registry.refresh()).rejects.toThrow('signer "sealed" is sealed in the database under key other')
  await expect(registry.refresh()).rejects.toThrow('sealed in the database')
  await store.commit((session) => session.saveEntity(row))
  await registry.refresh()
  expect(registry.signer('sealed')?.address).toBe(facts.address)
})

test('an assignment that failed is made at the next look', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { registry } = await process(store)
  const advanced: string[][] = []
  let failing = false
  await registry.assignTo(async (relayers) => {
    if (failing) throw new Error('disk full')
    advanced.push([...relayers])
  })
  await store.commit(async (session) => {
    await session.saveEntity(signerToEntity(vault, facts, key))
    await session.saveEntity(relayerToEntity(relayer.id, { origin: 'api' }, undefined))
    await session.saveRelayer(relayer)
  })
  failing = true
  await expect(registry.refresh()).rejects.toThrow('disk full')
  failing = false
  await registry.refresh()
  expect(advanced).toEqual([[], [relayer.id]])
})

test('endpoints of its own are opened for a relayer once, and again only when they or its network change', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { registry, opened, closed } = await process(store)
  const at = { kind: 'relayer', id: relayer.id } as const
  const sealed = sealEndpoints(vault, at, [endpointOf('own')])
  await store.commit(async (session) => {
    await session.saveEntity(relayerToEntity(relayer.id, { origin: 'api' }, sealed))
    await session.saveRelayer(relayer)
  })
  await registry.refresh()
  expect(registry.endpointsOf(relayer.id)?.map(({ url }) => String(url))).toEqual(['own'])
  const chain = registry.chainOf(relayer)
  await store.commit((session) => session.saveEntity(relayerToEntity(relayer.id, { origin: 'api' }, sealed)))
  await registry.refresh()
  expect(opened).toEqual(['filed', 'own'])
  await store.commit((session) =>
    session.saveEntity(networkToEntity(vault, network.name, { requiredConfirmations: 3 })),
  )
  await registry.refresh()
  expect(opened).toEqual(['filed', 'own', 'filed', 'own'])
  expect(registry.chainOf(relayer)).toBe(chain)
  await store.commit((session) => session.saveEntity(relayerToEntity(relayer.id, { origin: 'api' }, undefined)))
  await registry.refresh()
  expect(registry.endpointsOf(relayer.id)).toBeUndefined()
  expect(registry.chainOf(relayer)).not.toBe(chain)
  expect(closed).toEqual(['filed', 'own', 'own'])
})

test('a relayer whose new account has no key in this process is released, and that is reported once', async () => {
  await using under = await openTestedStore()
  const { store } = under
  await store.commit(async (session) => {
    await session.saveEntity(signerToEntity(vault, facts, key))
    await session.saveEntity(relayerToEntity(relayer.id, { origin: 'api' }, undefined))
    await session.saveRelayer(relayer)
  })
  const reported: string[] = []
  const log = (_: object, message: string) => void reported.push(message)
  const { registry, advanced } = await process(store, { ...quiet, info: log, warn: log })
  reported.length = 0
  const give = (address: Address) =>
    store.commit(async (session) => {
      await session.raiseRevision()
      await session.saveRelayer({ ...relayer, address })
    })
  await give(devAccount(2).address)
  await registry.refresh()
  await store.commit((session) => session.raiseRevision())
  await registry.refresh()
  expect(advanced.at(-1)).toEqual([])
  expect(reported).toEqual([
    `this process does not advance this relayer: signer "sealed" signs for ${facts.address} here, and it is of ${devAccount(2).address}`,
  ])
  await give(facts.address)
  await registry.refresh()
  expect(advanced.at(-1)).toEqual([relayer.id])
  expect(reported.slice(1)).toEqual(['this process advances this relayer again'])
})
