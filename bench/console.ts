// What each page of the dashboard costs with 100,000 transactions, 50 relayers and 10 networks: requests, SQL statements, time.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { numberToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../src/domain/ids.ts'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, until } from '../tooling/client.ts'
import { chromiumMissing, chromiumPath, openBrowser } from '../tooling/dashboard/browser.ts'
import type { Service } from '../tooling/service.ts'
import { databasePath } from '../tooling/service-files.ts'
import { startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { countingInto, readCounts } from './read-counts.ts'
import { seedFinished } from './seed-finished.ts'

const networks = 10
const relayersOfNetwork = 5
const finishedOfRelayer = 2_000
const openOfRelayer = 3

interface Place {
  readonly id: string
  readonly chain: Anvil
  readonly key: Hex
  readonly account: PrivateKeyAccount
}

/** The service runs on SQLite. Without Chromium the measurement is skipped, and the reason printed. */
export async function measureConsole(print: (line: string) => void): Promise<Figure[]> {
  if (chromiumPath === undefined) {
    print(`console: skipped, as ${chromiumMissing}`)
    return []
  }
  // Each node ends with this process.
  process.setMaxListeners(networks + 10)
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const places = await openPlaces(opened)
  const counted = join(directory, 'statements')
  const start = () => startBenchService({}, optionsOf(directory, counted, places))
  await seed(await start(), places, directory)
  const service = opened.use(await start())
  const client = opened.use(openClient(service.url, service.apiKey))
  const open = await sendOpen(client, places)

  return await visitPages(service, counted, [
    ...['/', '/nodes', '/figures', '/gas', '/api-keys', '/audit-log', '/dead-letters', '/search?query=0x00'],
    ...['/relayers/r0', '/relayers/r0/cancel-all', `/relayers/r0/transactions/${open}`],
  ])
}

async function openPlaces(opened: AsyncDisposableStack): Promise<readonly Place[]> {
  const places: Place[] = []
  for (let network = 0; network < networks; network += 1) {
    const chain = opened.use(await startAnvil({ mining: 'manual', chainId: 31_337 + network }))
    for (let index = 0; index < relayersOfNetwork; index += 1) {
      const key = numberToHex(1_000 + places.length, { size: 32 })
      const account = privateKeyToAccount(key)
      await chain.rpc('anvil_setBalance', [account.address, numberToHex(10n ** 20n)])
      places.push({ id: `r${places.length}`, chain, key, account })
    }
  }
  return places
}

function optionsOf(
  directory: string,
  counted: string,
  places: readonly Place[],
): Parameters<typeof startBenchService>[1] {
  const chains = [...new Set(places.map(({ chain }) => chain))]
  const { nodeArguments, env } = countingInto(counted)
  const [first, ...others] = chains.map((chain) => ({
    ...{ name: `chain-${chain.chainId}`, rpcUrls: [chain.url], chainId: chain.chainId, averageBlocktimeMs: 1_000 },
  }))
  if (!first) throw new Error('there are no networks')
  return {
    ...{ directory, profileName: 'console', networks: [first, ...others] },
    relayers: places.map(({ id, chain, key }) => ({ id, privateKey: key, network: `chain-${chain.chainId}` })),
    nodeArguments,
    env: { ...env, RATE_LIMIT_REQUESTS_PER_SECOND: '100000', RATE_LIMIT_BURST_SIZE: '100000' },
  }
}

/** A finished transaction of each relayer, by the service itself, and copies of it. */
async function seed(service: Service, places: readonly Place[], directory: string): Promise<void> {
  await using client = openClient(service.url, service.apiKey)
  const sent = await Promise.all(places.map(async ({ id }) => ({ id, transaction: await send(client, id) })))
  const untilAll = (status: string) =>
    until(
      async () => {
        for (const chain of new Set(places.map((place) => place.chain))) await chain.mine()
        const views = await Promise.all(sent.map(({ id, transaction }) => client.get(id, transaction)))
        return views.every((view) => view.status === status)
      },
      { limitMs: 300_000, everyMs: 500, what: `${places.length} transactions to be ${status}` },
    )
  await untilAll('confirmed')
  await service.stop()
  for (const [series, { id, chain, account }] of places.entries()) {
    seedFinished(databasePath(directory), id, finishedOfRelayer, series)
    await chain.rpc('anvil_setNonce', [account.address, `0x${finishedOfRelayer.toString(16)}`])
  }
}

async function send(client: Client, relayer: string): Promise<string> {
  const sent = await client.send(relayer, { to: devAccount(9).address, value: '1', data: '0x', speed: 'average' })
  return sent.id
}

/** Each relayer gets some transactions in flight. Returns the id of the first. */
async function sendOpen(client: Client, places: readonly Place[]): Promise<string> {
  let first: string | undefined
  for (const { id } of places) {
    for (let count = 0; count < openOfRelayer; count += 1) {
      const sent = await send(client, id)
      first ??= sent
    }
  }
  const wanted = first ?? ''
  await until(async () => (await client.get('r0', wanted)).status === 'submitted', {
    what: 'the first to be in flight',
  })
  return wanted
}

async function visitPages(service: Service, counted: string, paths: readonly string[]): Promise<Figure[]> {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    page.setDefaultTimeout(120_000)
    await page.goto(service.url)
    await page.getByLabel('API key').fill(service.apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const figures: Figure[] = []
    for (const path of paths) figures.push(...(await visit(page, service, counted, path)))
    return figures
  } finally {
    await browser.close()
  }
}

/** The second of two visits: the first fills caches of the service. */
async function visit(page: Page, service: Service, counted: string, path: string): Promise<Figure[]> {
  await load(page, service, path)
  const before = (await readCounts(service, counted)).ofRequests
  const { requests, ms } = await load(page, service, path)
  const statements = (await readCounts(service, counted)).ofRequests - before
  const name = path.replace(/[0-9a-f-]{36}/, '{id}')
  return [
    { name, value: requests, unit: 'requests' },
    { name: '  … SQL statements', value: statements, unit: 'statements' },
    { name: '  … until its content is there', value: ms, unit: 'ms' },
  ]
}

async function load(page: Page, service: Service, path: string): Promise<{ requests: number; ms: number }> {
  let requests = 0
  const note = (request: { url(): string }) => {
    if (new URL(request.url()).pathname.startsWith('/dashboard/api/')) requests += 1
  }
  page.on('request', note)
  const began = performance.now()
  await page.goto(`${service.url}${path}`)
  await page.locator('main h1').waitFor()
  await until(async () => (await page.locator('.skeleton').count()) === 0, {
    everyMs: 10,
    what: `the content of ${path}`,
  })
  const ms = performance.now() - began
  page.off('request', note)
  return { requests, ms }
}
