// An outage from one page: an operator reads which relayers are stuck, why and since when, and follows its links to end it.
// PICTURES=FOLDER keeps pictures of each step: wide and narrow, light and dark.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { chromiumMissing, chromiumPath, openBrowser } from '../../tooling/dashboard/browser.ts'
import { type Outage, openOutage } from '../../tooling/outage.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { signIn, violations, visit } from './support/visit.ts'

const ether = 10n ** 18n
const pictures = process.env['PICTURES']

if (chromiumPath === undefined) process.stderr.write(`The outage in a browser is skipped: ${chromiumMissing}.\n`)

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  let outage: Outage
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
    outage = await openOutage()
  })
  afterAll(async () => {
    await outage?.[Symbol.asyncDispose]()
    await browser?.close()
  })

  let steps = 0
  /** Checks the page of a step as readers and phones meet it. */
  async function check(page: Page, step: string): Promise<void> {
    steps += 1
    expect(await violations(page)).toEqual([])
    for (const [width, height, name] of [
      [360, 780, 'phone'],
      [1280, 800, 'desktop'],
    ] as const) {
      await page.setViewportSize({ width, height })
      expect(await page.locator('html').evaluate((html) => html.scrollWidth), `${step} at ${width} px`).toBe(width)
      for (const colorScheme of pictures === undefined ? [] : (['dark', 'light'] as const)) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(pictures ?? '', `${steps}-${step}-${name}-${colorScheme}.png`) })
      }
    }
  }

  test('three relayers are stuck for three reasons, and each is helped from the page that shows it', async () => {
    const { client, service } = outage
    await using operator = await visit(browser)
    const { page, faults } = operator
    await signIn(page, service)
    const { inFlight, poor, capped } = await outage.begin()
    const mined = (what: string, condition: () => Promise<boolean>) =>
      until(
        async () => {
          await outage.mine()
          return condition()
        },
        { what, limitMs: 120_000, everyMs: 300 },
      )
    const row = (relayer: string) =>
      page.locator('tbody tr', { has: page.getByRole('link', { name: relayer, exact: true }) })
    const reasons = { capped: 'Gas price above the cap', down: 'No node can be reached', poor: 'Balance too low' }

    await mined('three stuck relayers', () => page.getByRole('heading', { name: '3 relayers are stuck' }).isVisible())
    for (const [relayer, reason] of Object.entries(reasons))
      expect(await row(relayer).textContent()).toMatch(new RegExp(`✕${reason}.*For \\d+ s`))
    expect(await row('well').textContent()).not.toContain('✕')
    await check(page, 'three-are-stuck')

    await row('down').getByRole('link', { name: 'Cancel all' }).click()
    await page.getByText('No node answers, so neither the cost nor the balance can be shown.').waitFor()
    await check(page, 'cancel-without-a-node')
    await page.getByLabel('Type down to confirm').fill('down')
    await page.getByRole('button', { name: 'Cancel 2 transactions' }).click()
    await page.getByText('0 of 2 verdicts are final').waitFor()
    await check(page, 'two-race')

    await page.goto(service.url)
    await row('poor').getByRole('link', { name: 'poor', exact: true }).click()
    const missing = page.getByText('Missing now: ')
    expect(await missing.textContent()).toMatch(
      /: 0\.5\d+ ETH.* for the next transaction, at least 1\.5\d+ ETH.* for the first 2/,
    )
    await check(page, 'top-up')
    await outage.setBalance('poor', 3n * ether)

    await page.goto(service.url)
    await row('capped').getByRole('link', { name: 'capped', exact: true }).click()
    await page.getByRole('button', { name: 'Raise the cap…' }).click()
    await page.getByRole('dialog').getByLabel('Cap in gwei').fill('500')
    await check(page, 'raise-the-cap')
    await page.getByRole('dialog').getByRole('button', { name: 'Set the cap' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await outage.end(inFlight)
    await page.goto(`${service.url}/relayers/down/transactions/${inFlight[0]}`)
    await mined('the verdict', () => page.getByText('Final.', { exact: true }).isVisible())
    await check(page, 'verdict')
    await mined('the end of all', async () => {
      const sent = [...poor.map((id) => client.get('poor', id)), ...capped.map((id) => client.get('capped', id))]
      return (await Promise.all(sent)).every(({ status }) => status === 'confirmed')
    })
    for (const id of inFlight)
      expect(await client.cancellation('down', id)).toMatchObject({ state: 'won', final: true, safe_to_retry: true })
    await page.goto(service.url)
    await mined('no stuck relayer', () => page.getByRole('heading', { name: 'No relayer is stuck' }).isVisible())
    await check(page, 'all-is-well')
    expect(faults).toEqual([])
  })

  test('what hinders the process itself is on the first page, too', async () => {
    const { service } = outage
    await using operator = await visit(browser)
    const { page, faults } = operator
    await signIn(page, service)
    const file = join(service.directory, 'rescind.db')
    const hindered = page.getByRole('status').filter({ hasText: 'The database file was replaced: sends are refused' })
    await page.getByRole('heading', { name: 'No relayer is stuck' }).waitFor()
    expect(await hindered.count()).toBe(0)
    await rename(file, `${file}.away`)
    await page.reload()
    await hindered.waitFor()
    expect(await hindered.getByRole('link').getAttribute('href')).toBe('/docs/alerts.md#database_replaced')
    await check(page, 'file-replaced')
    await rename(`${file}.away`, file)
    await hindered.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })
})
