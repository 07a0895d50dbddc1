// Takes pictures of every view: light and dark, wide and narrow, with no data, little, much, while loading and after an error.
// `node tooling/dashboard/pictures.ts [FOLDER]`; `--docs` makes those of docs/dashboard.md instead.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { type Scene, setScene } from './scene.ts'

interface View {
  readonly name: string
  readonly path: string
}

const schemes = ['light', 'dark'] as const
const widths = [1280, 400] as const

function viewsOf({ stuck }: Scene): readonly View[] {
  return [
    { name: 'relayers', path: '/' },
    { name: 'relayer', path: '/relayers/payouts' },
    { name: 'transaction', path: `/relayers/payouts/transactions/${stuck[1] ?? 'none'}` },
    { name: 'cancel-all', path: '/relayers/payouts/cancel-all' },
    { name: 'search', path: '/search?query=nothing' },
    { name: 'nodes', path: '/nodes' },
    { name: 'figures', path: '/figures' },
    { name: 'gas', path: '/gas' },
    { name: 'dead-letters', path: '/dead-letters' },
    { name: 'api-keys', path: '/api-keys' },
    { name: 'audit-log', path: '/audit-log' },
  ]
}

async function openPage(browser: Browser, scene: Scene, width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(`${scene.service.url}/`)
  await page.getByLabel('API key').fill(scene.service.apiKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // Its buttons are in a menu on a phone.
  await page.locator('header.top').waitFor()
  return page
}

async function settle(page: Page): Promise<void> {
  await page.locator('main h1, main .notice').first().waitFor()
  while ((await page.locator('.skeleton').count()) > 0)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await page.getByText('Live', { exact: true }).waitFor()
  // Balances come last.
  await page.waitForTimeout(600)
}

async function takeAll(browser: Browser, folder: string, amount: string, scene: Scene): Promise<void> {
  for (const colorScheme of schemes) {
    for (const width of widths) {
      const page = await openPage(browser, scene, width, colorScheme)
      const take = (name: string) =>
        page.screenshot({ path: join(folder, `${name}-${amount}-${width}-${colorScheme}.png`), fullPage: true })
      for (const { name, path } of viewsOf(scene)) {
        await page.goto(`${scene.service.url}${path}`)
        await settle(page)
        await take(name)
      }
      if (amount === 'little') {
        await inStates(page, scene, take)
        const menu = page.getByRole('button', { name: 'Menu' })
        if (await menu.isVisible()) await menu.click()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByLabel('API key').waitFor()
        await take('sign-in')
      }
      await page.context().close()
    }
  }
}

/** While loading, after an error, and with a dialog. */
async function inStates(page: Page, scene: Scene, take: (name: string) => Promise<unknown>): Promise<void> {
  await page.route('**/v1/overview*', () => undefined)
  await page.goto(`${scene.service.url}/`)
  await page.locator('.skeleton').waitFor()
  await take('relayers-loading')
  await page.unroute('**/v1/overview*')
  await page.route('**/v1/relayers/**', (route) => route.abort())
  await page.goto(`${scene.service.url}/relayers/payouts`)
  await page.getByRole('alert').first().waitFor()
  await take('relayer-error')
  await page.unroute('**/v1/relayers/**')
  await page.goto(`${scene.service.url}/relayers/payouts/transactions/${scene.stuck[0]}`)
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await page.getByText('Expected cost').waitFor()
  await take('cancel-dialog')
  await page.keyboard.press('Escape')
}

async function takeForDocs(browser: Browser, folder: string, scene: Scene): Promise<void> {
  const page = await openPage(browser, scene, 1280, 'light')
  for (const { name, path } of viewsOf(scene).slice(0, 4)) {
    await page.goto(`${scene.service.url}${path}`)
    await settle(page)
    const height = { relayers: 560, relayer: 800, transaction: 830, 'cancel-all': 690 }[name] ?? 800
    await page.setViewportSize({ width: 1280, height })
    await page.screenshot({ path: join(folder, `dashboard-${name}.png`) })
  }
}

const [first] = process.argv.slice(2)
const isForDocs = first === '--docs'
const folder = isForDocs ? join(import.meta.dirname, '../../docs/pictures') : (first ?? 'pictures')
await mkdir(folder, { recursive: true })
const browser = await openBrowser()
if (isForDocs) {
  await using scene = await setScene()
  await takeForDocs(browser, folder, scene)
} else {
  for (const [amount, options] of [
    ['none', { isEmpty: true }],
    ['little', {}],
    ['much', { queued: 10_000 }],
  ] as const) {
    await using scene = await setScene(options)
    await takeAll(browser, folder, amount, scene)
  }
}
await browser.close()
