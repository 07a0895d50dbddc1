// The list of transactions in real Chromium: filters and pages in the URL, by keyboard, and on a phone.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumMissing, chromiumPath } from '../../tooling/dashboard/browser.ts'
import { type Scene, setScene } from '../../tooling/dashboard/scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { type Desk, openDesk, signIn, violations, visit } from './support/visit.ts'

const queued = 60

if (chromiumPath === undefined) process.stderr.write(`The tests of the dashboard are skipped: ${chromiumMissing}.\n`)

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  let desk: Desk<Scene>
  beforeAll(async () => {
    desk = await openDesk(() => setScene({ queued }))
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())
  const at = (query: string) => `${desk.scene.service.url}/relayers/payouts${query}`
  const rowsOf = (page: Page) => page.locator('section[aria-labelledby=transactions] tbody tr')
  const untilRows = (page: Page, count: number) => expect.poll(() => rowsOf(page).count()).toBe(count)

  test('the beginning of an id finds its transaction, by keyboard alone, and Back shows the list again', async () => {
    const { page, faults } = desk.operator
    const [id = ''] = desk.scene.stuck
    await page.goto(at(''))
    await untilRows(page, 25)
    await page.getByLabel('Id or hash').focus()
    await page.keyboard.type(` ${id.slice(0, 30)}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/relayers/payouts?text=${id.slice(0, 30)}`)
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('text')
    await expect.poll(() => rowsOf(page).count()).toBeLessThanOrEqual(4)
    expect(await violations(page)).toEqual([])
    await page.goBack()
    await untilRows(page, 25)
    expect(await page.getByLabel('Id or hash').inputValue()).toBe('')
    await page.goForward()
    await expect.poll(() => page.getByLabel('Id or hash').inputValue()).toBe(id.slice(0, 30))
    expect(faults).toEqual([])
  })

  test('filters stand in the URL, which shows the same to another person', async () => {
    const { page } = desk.operator
    await page.goto(at(''))
    await page.getByText('More filters').click()
    const value = page.getByRole('group', { name: /Value in/ })
    await page.getByLabel('Receiver').fill('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')
    await value.getByLabel('to').fill('0.5')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await untilRows(page, 1)
    const url = page.url()
    expect(url).toContain('value_to=500000000000000000')

    await using other = await visit(desk.browser)
    await signIn(other.page, desk.scene.service)
    await other.page.goto(url)
    await untilRows(other.page, 1)
    expect(await other.page.getByLabel('Receiver').inputValue()).toMatch(/^0xA0b8/)
    expect(
      await other.page
        .getByRole('group', { name: /Value in/ })
        .getByLabel('to')
        .inputValue(),
    ).toBe('0.5')

    await page.getByRole('button', { name: 'Clear filters' }).click()
    await untilRows(page, 25)
    expect(new URL(page.url()).search).toBe('')
  })

  test('a wrong filter in the URL is named, and the form corrects it', async () => {
    const { page } = desk.operator
    await page.goto(at('?nonce_from=9&nonce_to=3'))
    await page.getByRole('alert').getByText('nonce_to: 3 is not at or above nonce_from').waitFor()
    await page.getByRole('group', { name: 'Nonce' }).getByLabel('to').fill('')
    await page.getByRole('group', { name: 'Nonce' }).getByLabel('from').fill('5')
    await page.keyboard.press('Enter')
    await page.waitForURL('**?nonce_from=5')
    await untilRows(page, 2)
  })

  test('pages and statuses are steps of the history', async () => {
    const { page } = desk.operator
    await page.goto(at(''))
    await page.getByLabel('Status').selectOption('pending')
    await page.waitForURL('**?status=pending')
    await page.getByRole('button', { name: 'Older →' }).click()
    await page.waitForURL('**?status=pending&page=2')
    await page.getByText('Page 2 of 3').waitFor()
    await page.goBack()
    await page.getByText('Page 1 of 3').waitFor()
    await page.goBack()
    await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('')
  })

  test('before a transaction, the list has the older ones, and says what a filter counted', async () => {
    const { page } = desk.operator
    await page.goto(at(`?before=${desk.scene.stuck[0]}&value_from=0`))
    await untilRows(page, 3)
    await page.getByText('At least 3 transactions among those looked at').waitFor()
    await page.getByRole('button', { name: '← Newest' }).click()
    await page.getByText('67 transactions with these filters, newest first.').waitFor()
  })

  test.each(['light', 'dark'] as const)(
    'on a phone, %s: nothing scrolls sideways, and axe finds nothing',
    async (scheme) => {
      await using phone = await visit(desk.browser, { viewport: { width: 360, height: 740 }, colorScheme: scheme })
      const { page, faults } = phone
      await signIn(page, desk.scene.service)
      await page.goto(at('?nonce_from=0&value_from=1&created_from=2020-01-01T00:00:00.000Z'))
      await untilRows(page, 6)
      const receiver = await page.getByLabel('Receiver').boundingBox()
      expect(receiver?.width).toBeGreaterThan(300)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width).toBeLessThanOrEqual(360)
      expect(await violations(page)).toEqual([])
      expect(faults).toEqual([])
    },
  )
})
