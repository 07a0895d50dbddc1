// Two processes' estates over one store: what one changes the other brings, whoever acted on it first, and no more than that.
import { expect, test } from 'vitest'
import type { Chain } from '../../src/chain/chain.ts'
import { openChains } from '../../src/chain/chains.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret, secretUrl } from '../../src/ops/secret.ts'
import { openVault } from '../../src/ops/vault.ts'
import { networkToRow, relayerToRow, sealEndpoints, signerToRow } from '../../src/registry/documents.ts'
import type { NetworkSettings } from '../../src/registry/entities.ts'
import { openEstate } from '../../src/registry/open-estate.ts'
import { openCurve } from '../../src/signers/curve.ts'
import { openPlainSigner } from '../../src/signers/plain.ts'
import type { Store } from '../../src/store/store.ts'
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
    tags: [],
    explorerUrls: [],
  },
}
const facts = { id: 'sealed', type: 'plain', address: devAccount(1).address } as const
const key = secret(devAccount(1).key)

/** An estate, the chains that it opened and closed, and the relayers that it was last told to advance. */
async function process(store: Store, logger: Logger = quiet) {
  const opened: string[] = []
  const closed: string[] = []
  const keysOpened: string[] = []
  const advanced: string[][] = []
  const curve = await openCurve(quiet)
  const estate = await openEstate({
    ...{ store, vault, logger, fileSigners: new Map(), policyFor: () => somePolicy },
    file: { relayers: [], signers: [], notifications: [], networks: [network] },
    async openSigner(id, key) {
      keysOpened.push(id)
      return openPlainSigner(id, key.reveal(), curve)
    },
    chains: openChains((settings: NetworkSettings) => {
      const hosts = settings.rpcUrls.map(({ url }) => String(url)).join()
      opened.push(hosts)
      return { close: async () => void closed.push(hosts) } as Partial<Chain> as Chain
    }),
  })
  await estate.assignTo(async (relayers) => void advanced.push([...relayers]))
  return { estate, opened, closed, keysOpened, advanced }
}

test('a signer and a relayer made by one are opened and advanced by the other, and let go when they are gone', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const [one, other] = [await process(store), await process(store)]
  await store.commit(async (session) => {
    await session.saveManaged(signerToRow(vault, facts, key))
    await session.saveManaged(relayerToRow(relayer.id, { origin: 'api' }, undefined))
    await session.saveRelayer(relayer)
  })
  expect(other.estate.signer('sealed')).toBeUndefined()
  for (const { estate, advanced, keysOpened } of [one, other]) {
    await estate.refresh()
    expect(estate.signer('sealed')?.address).toBe(facts.address)
    expect(advanced.at(-1)).toEqual([relayer.id])
    await Promise.all([estate.refresh(), estate.refresh()])
    // Nothing changed, so nothing is opened again, and nobody is told.
    expect([keysOpened.length, advanced.length]).toEqual([1, 2])
  }
  await store.commit(async (session) => {
    await session.removeRelayer(relayer.id, 1)
    await session.removeManaged('relayer', relayer.id)
    await session.removeManaged('signer', 'sealed')
  })
  await other.estate.refresh()
  expect(other.estate.signer('sealed')).toBeUndefined()
  expect(other.advanced.at(-1)).toEqual([])
})

test('a chain is opened anew only where its endpoints or its rules changed, and stays the same object', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { estate, opened, closed } = await process(store)
  const at = { id: relayer.id, network: relayer.network }
  const chain = estate.chainOf(at)
  const patch = { rpcUrls: [endpointOf('patched')], requiredConfirmations: 9 }
  await store.commit((session) => session.saveManaged(networkToRow(vault, network.name, patch)))
  await estate.refresh()
  expect(estate.chainOf(at)).toBe(chain)
  expect(estate.networks()).toMatchObject([{ requiredConfirmations: 9 }])
  expect([opened, closed]).toEqual([['filed', 'patched'], ['filed']])
  await store.commit((session) => session.raiseRevision())
  await estate.refresh()
  expect(opened).toHaveLength(2)
  await store.commit((session) => session.removeManaged('network', network.name))
  await estate.refresh()
  expect([opened, closed]).toEqual([
    ['filed', 'patched', 'filed'],
    ['filed', 'patched'],
  ])
})

test('what can not be opened now is opened at the next look', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { estate } = await process(store)
  const row = signerToRow(vault, facts, key)
  await store.commit((session) => session.saveManaged({ ...row, sealed: 'v1.other.key' }))
  await expect(estate.refresh()).rejects.toThrow('signer "sealed" is sealed in the database under key other')
  await expect(estate.refresh()).rejects.toThrow('sealed in the database')
  await store.commit((session) => session.saveManaged(row))
  await estate.refresh()
  expect(estate.signer('sealed')?.address).toBe(facts.address)
})

test('an assignment that failed is made at the next look', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { estate } = await process(store)
  const advanced: string[][] = []
  let failing = false
  await estate.assignTo(async (relayers) => {
    if (failing) throw new Error('disk full')
    advanced.push([...relayers])
  })
  await store.commit(async (session) => {
    await session.saveManaged(signerToRow(vault, facts, key))
    await session.saveManaged(relayerToRow(relayer.id, { origin: 'api' }, undefined))
    await session.saveRelayer(relayer)
  })
  failing = true
  await expect(estate.refresh()).rejects.toThrow('disk full')
  failing = false
  await estate.refresh()
  expect(advanced).toEqual([[], [relayer.id]])
})

test('endpoints of its own are opened for a relayer once, and again only when they or its network change', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { estate, opened, closed } = await process(store)
  const at = { kind: 'relayer', id: relayer.id } as const
  const sealed = sealEndpoints(vault, at, [endpointOf('own')])
  await store.commit(async (session) => {
    await session.saveManaged(relayerToRow(relayer.id, { origin: 'api' }, sealed))
    await session.saveRelayer(relayer)
  })
  await estate.refresh()
  expect(estate.endpointsOf(relayer.id)?.map(({ url }) => String(url))).toEqual(['own'])
  const chain = estate.chainOf(relayer)
  await store.commit((session) => session.saveManaged(relayerToRow(relayer.id, { origin: 'api' }, sealed)))
  await estate.refresh()
  expect(opened).toEqual(['filed', 'own'])
  await store.commit((session) => session.saveManaged(networkToRow(vault, network.name, { requiredConfirmations: 3 })))
  await estate.refresh()
  expect(opened).toEqual(['filed', 'own', 'filed', 'own'])
  expect(estate.chainOf(relayer)).toBe(chain)
  await store.commit((session) => session.saveManaged(relayerToRow(relayer.id, { origin: 'api' }, undefined)))
  await estate.refresh()
  expect(estate.endpointsOf(relayer.id)).toBeUndefined()
  expect(estate.chainOf(relayer)).not.toBe(chain)
  expect(closed).toEqual(['filed', 'own', 'own'])
})

test('a relayer that another process gives an account of which the key is not here is let go, and that is told, once', async () => {
  await using under = await openTestedStore()
  const { store } = under
  await store.commit(async (session) => {
    await session.saveManaged(signerToRow(vault, facts, key))
    await session.saveManaged(relayerToRow(relayer.id, { origin: 'api' }, undefined))
    await session.saveRelayer(relayer)
  })
  const told: string[] = []
  const tell = (_: object, message: string) => void told.push(message)
  const { estate, advanced } = await process(store, { ...quiet, info: tell, warn: tell })
  told.length = 0
  const give = (address: Address) =>
    store.commit(async (session) => {
      await session.raiseRevision()
      await session.saveRelayer({ ...relayer, address })
    })
  await give(devAccount(2).address)
  await estate.refresh()
  await store.commit((session) => session.raiseRevision())
  await estate.refresh()
  expect(advanced.at(-1)).toEqual([])
  expect(told).toEqual([
    `this process does not advance this relayer: signer "sealed" signs for ${facts.address} here, and it is of ${devAccount(2).address}`,
  ])
  await give(facts.address)
  await estate.refresh()
  expect(advanced.at(-1)).toEqual([relayer.id])
  expect(told.slice(1)).toEqual(['this process advances this relayer again'])
})
