// How the dashboard looks and reads in real Chromium: amounts, times, themes, phones, a lost connection, unknown paths.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { type Scene, setScene } from '../../tooling/dashboard/scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { type Desk, openDesk, violations, visit } from './support/visit.ts'

/** Of the narrowest phones in use. */
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true }

describe.skipIf(isSkipped(chromiumPath === undefined))('the look', () => {
  let desk: Desk<Scene>
  beforeAll(async () => {
    desk = await openDesk(setScene, { timezoneId: 'Asia/Kolkata' })
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())

  const at = (path: string) => `${desk.scene.service.url}${path}`
  const views = () => [
    '/',
    '/relayers/payouts',
    '/relayers/payouts/cancel-all',
    `/relayers/payouts/transactions/${desk.scene.stuck[0]}`,
    '/bulk-cancellations',
    '/bulk-cancellations/new',
    '/stop-everything',
    '/gas',
    '/dead-letters',
    '/api-keys',
    '/audit-log',
    '/search?query=nothing',
  ]
  const read = async (page: Page, path: string) => {
    await page.goto(at(path))
    await page.locator('main h1').waitFor()
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
  }

  test('no view and no sentence has wei or 18 digits, and the focus shows an amount in full', async () => {
    const { page } = desk.operator
    for (const path of views()) {
      await read(page, path)
      const text = await page.evaluate('document.querySelector("main").innerText')
      expect(text).not.toMatch(/\d wei\b/)
      // The rest of an amount is in the text for screen readers.
      expect(String(text).replaceAll(/ = [\d.,]+ \w+/g, '')).not.toMatch(/\d\.\d{10}/)
    }
    await read(page, '/relayers/payouts')
    const balance = page.locator('.facts .amount.short').first()
    expect(await balance.locator('.whole').boundingBox()).toMatchObject({ width: 1 })
    await balance.focus()
    expect(await balance.innerText()).toMatch(/^10,000 ETH\s+= 9,999\.\d{6,} ETH$/)
    expect((await balance.locator('.whole').boundingBox())?.width).toBeGreaterThan(50)
    expect(await balance.getAttribute('title')).toMatch(/^9,999\.\d{6,} ETH$/)
    expect(await violations(page)).toEqual([])
  })

  test('the list of transactions is one request, whatever its rows are', async () => {
    const { page } = desk.operator
    const paths: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.includes('/relayers/payouts/')) paths.push(pathname.replace(/^.*payouts/, ''))
    })
    await read(page, '/relayers/payouts')
    await page.locator('[aria-labelledby=transactions] tbody tr').first().waitFor()
    expect(await page.locator('[aria-labelledby=transactions] tbody tr').count()).toBeGreaterThan(10)
    expect([...new Set(paths)].sort()).toEqual(['/nonces', '/overview', '/status', '/traces'])
  })

  test('times are local, with UTC on hover', async () => {
    const { page } = desk.operator
    await read(page, '/audit-log')
    const time = page.locator('tbody time').first()
    const utc = new Date(String(await time.getAttribute('datetime')))
    const local = new Date(utc.getTime() + 5.5 * 3_600_000).toISOString()
    expect(await time.innerText()).toContain(`${local.slice(0, 10)} ${local.slice(11, 19)}`)
    expect(await time.getAttribute('title')).toBe(utc.toISOString().replace('T', ' ').replace(/\..*/, ' UTC'))
  })

  test('the colors follow the scheme of the system', async () => {
    const { page, faults } = desk.operator
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'light' })
    await read(page, '/')
    const light = await ground()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await ground()).not.toBe(light)
    expect(faults).toEqual([])
  })

  test('a path that is none has a page, and a program gets the error', async () => {
    const { page } = desk.operator
    const answer = await page.goto(at('/relayers/payouts/nothing'))
    expect(answer?.status()).toBe(404)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.locator('main').getByRole('link', { name: 'the relayers' }).click()
    await page.locator('tbody tr').first().waitFor()
    const plain = await fetch(at('/relayers/payouts/nothing'))
    expect([plain.status, plain.headers.get('relayer-error-code')]).toEqual([404, 'ROUTE_NOT_FOUND'])
  })

  test('nothing scrolls sideways on a phone, the header is one line, and axe finds nothing', async () => {
    await using mobile = await visit(desk.browser, phone)
    const { page } = mobile
    await page.goto(at('/'))
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('key')
    await page.keyboard.type(desk.scene.service.apiKey)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Menu' }).waitFor()
    for (const path of views()) {
      await read(page, path)
      const [wide, header] = await page.evaluate<readonly [number, number]>(
        '[document.documentElement.scrollWidth, document.querySelector("header.top").offsetHeight]',
      )
      expect([path, wide]).toEqual([path, 360])
      expect([path, header < 60]).toEqual([path, true])
      const tables = await page.evaluate<number>(
        '[...document.querySelectorAll(".scroll:not(:has(.lane))")].filter((box) => box.scrollWidth > box.clientWidth).length',
      )
      expect([path, tables]).toEqual([path, 0])
      expect(await violations(page)).toEqual([])
    }
    const menu = page.getByRole('button', { name: 'Menu' })
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
    expect(await page.getByRole('link', { name: 'Audit log' }).isVisible()).toBe(false)
    await menu.click()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
    // The heading stands before the rows have come.
    await page.locator('tbody tr').first().locator('td').first().waitFor()
    expect(await page.locator('thead').isVisible()).toBe(false)
    expect(mobile.faults).toEqual([])
  })

  test('without a connection no headline is of an earlier time, and each page says of which', async () => {
    const { page } = desk.operator
    await read(page, '/')
    await page.getByRole('heading', { name: 'payouts is stuck' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await desk.scene.service.kill9()
    try {
      const heading = page.getByRole('heading', {
        name: /^The present state is unknown 1 relayer stuck\s*as of \d\d:\d\d$/,
      })
      await heading.waitFor()
      expect(await page.getByRole('heading', { name: 'is stuck' }).count()).toBe(0)
      await page
        .locator('.connection.lost')
        .getByText(/^as of \d\d:\d\d$/)
        .waitFor()
      expect(await page.locator('tbody tr').count()).toBe(6)
      expect(await violations(page)).toEqual([])
    } finally {
      await desk.scene.service.restart()
    }
    await page.getByRole('heading', { name: 'payouts is stuck' }).waitFor()
    expect(await page.locator('.as-of').count()).toBe(0)
  })
})
