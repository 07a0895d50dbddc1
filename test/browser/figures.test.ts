// The charts of the figures in real Chromium, with the table that says the same.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { type Scene, setScene } from '../../tooling/dashboard/scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { type Desk, openDesk, violations, visit } from './support/visit.ts'

describe.skipIf(isSkipped(chromiumPath === undefined))('the figures in a browser', () => {
  let desk: Desk<Scene>
  beforeAll(async () => {
    desk = await openDesk(() => setScene({ queued: 20 }))
    await desk.operator.page.getByRole('link', { name: 'Figures' }).click()
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())

  const rowsOf = (page: Page) =>
    page.getByRole('table', { name: 'The figures of each step, newest first' }).getByRole('row')

  interface Series {
    readonly points: readonly { readonly confirmed: number; readonly sent: number }[]
  }

  const series = async (query: string): Promise<Series> => {
    const { body } = await desk.scene.client.request('GET', `/series?${query}`)
    return (body as { data: Series }).data
  }

  const confirmedIn = ({ points }: Series) => points.reduce((sum, { confirmed }) => sum + confirmed, 0)

  test('each chart has its sum as a heading, and a table has its values', async () => {
    const { page, faults } = desk.operator
    const confirmed = confirmedIn(await series('range=day'))
    expect(confirmed).toBeGreaterThan(0)
    await page.getByRole('heading', { name: `Confirmed: ${confirmed}` }).waitFor()
    for (const name of ['Sent', 'Canceled', 'Average time to confirmation', 'Gas', 'Fees', 'Calls to nodes']) {
      const heading = page.getByRole('heading', { name: new RegExp(`^${name}: `) })
      const section = page.locator('section').filter({ has: heading })
      await section.locator('canvas').waitFor()
      // A picture says nothing to a screen reader: the table does.
      expect(await section.locator('.chart').getAttribute('aria-hidden')).toBe('true')
    }
    expect(await rowsOf(page).count()).toBeGreaterThan(1)
    const cells = await page.locator('td[data-label=Confirmed]').allTextContents()
    expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(confirmed)
    const times = page.getByRole('table', { name: 'Confirmations by the time since their request' })
    expect(await times.getByRole('row').last().textContent()).toContain('100 %')
    expect(faults).toEqual([])
  })

  test('another time and another relayer are chosen by their labels', async () => {
    const { page } = desk.operator
    for (const label of ['Last hour', 'Last week']) {
      const reading = page.waitForResponse((response) => response.url().endsWith(`range=${label.slice(5)}`))
      await page.getByLabel('Time').selectOption({ label })
      expect((await reading).status()).toBe(200)
    }
    await page.getByLabel('Relayer').selectOption('payouts')
    const confirmed = confirmedIn(await series('range=week&relayer_id=payouts'))
    await page.getByRole('heading', { name: `Confirmed: ${confirmed}` }).waitFor()
  })

  test('axe finds nothing in light and dark, and nothing scrolls sideways on a phone', async () => {
    const { page, faults } = desk.operator
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
    await page.setViewportSize({ width: 360, height: 740 })
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    await expect.poll(overflow).toBeLessThanOrEqual(0)
    expect(await violations(page)).toEqual([])
    expect(faults).toEqual([])
  })

  test('a key for one relayer chooses among its own, and sees their figures', async () => {
    const { body } = await desk.scene.client.request('POST', '/api-keys', {
      body: { name: 'some', scopes: ['read'], relayers: ['payouts'] },
    })
    await using bound = await visit(desk.browser)
    const { page } = bound
    await page.goto(`${desk.scene.service.url}/figures`)
    await page.getByLabel('API key').fill((body as { data: { key: string } }).data.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Relayer').getByRole('option', { name: 'payouts' }).waitFor({ state: 'attached' })
    expect(await page.getByLabel('Relayer').getByRole('option').allTextContents()).toEqual(['All', 'payouts'])
    const { points } = await series('range=day&relayer_id=payouts')
    const sent = points.reduce((sum, point) => sum + point.sent, 0)
    await page.getByRole('heading', { name: `Sent: ${sent}`, exact: true }).waitFor()
  })
})
