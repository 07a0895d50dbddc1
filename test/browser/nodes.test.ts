// The page of nodes in real Chromium: in an outage an operator reads which endpoint is the cause, on a phone, too.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { type NodesScene, setNodesScene } from '../../tooling/dashboard/nodes-scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { type Desk, openDesk, violations } from './support/visit.ts'

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  let desk: Desk<NodesScene>
  beforeAll(async () => {
    desk = await openDesk(setNodesScene)
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())
  const at = (path: string) => `${desk.scene.service.url}${path}`

  test('the page shows each endpoint and its reason, by one request, and refreshes itself', async () => {
    const { page, faults } = desk.operator
    await page.getByRole('link', { name: 'Nodes', exact: true }).click()
    await page.waitForURL('**/nodes')
    const requests: string[] = []
    page.on('request', (each) => {
      if (each.url().includes('/api/v1/')) requests.push(new URL(each.url()).pathname)
    })
    const mixed = page.getByRole('region', { name: 'mixed' })
    const rows = mixed.locator('tbody tr')
    await until(
      async () => {
        const [, , lagging, failing, wrong] = await rows.allTextContents()
        return (
          /Lags behind.*blocks? behind/.test(lagging ?? '') &&
          /No answer.*HTTP 503/.test(failing ?? '') &&
          /Another chain.*Serves chain 1337, not 31337/.test(wrong ?? '')
        )
      },
      { what: 'each endpoint in its state', limitMs: 90_000, everyMs: 500 },
    )
    expect(await rows.first().textContent()).toMatch(/^127\.0\.0\.1:\d+endpoint 0.*In use.*read .* ms.*anvil\/v/)
    expect(await mixed.textContent()).toContain('Degraded')
    await page.getByText('unused.example').waitFor()
    expect(new Set(requests.filter((path) => path !== '/dashboard/api/v1/events'))).toEqual(
      new Set(['/dashboard/api/v1/nodes']),
    )
    expect(await page.content()).not.toContain(desk.scene.secret)
    expect(faults).toEqual([])
  })

  test('axe finds nothing, in light and dark, and nothing scrolls sideways on a phone', async () => {
    const { page, faults } = desk.operator
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(at('/nodes'))
      await page.getByText('Another chain').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations(page)).toEqual([])
      }
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(beyond).toBeLessThanOrEqual(0)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(faults).toEqual([])
  })

  test('the condition of a relayer without a node leads to the page, which shows that none answers', async () => {
    const { page } = desk.operator
    await desk.scene.cutCalm()
    await desk.scene.client.send('quiet', { to: `0x${'22'.repeat(20)}`, value: '1', speed: 'fast' })
    await page.goto(at('/relayers/quiet'))
    await page.getByRole('link', { name: 'Its nodes' }).click({ timeout: 90_000 })
    await page.waitForURL('**/nodes')
    const calm = page.getByRole('region', { name: 'calm' })
    await calm.getByText('None answers').waitFor({ timeout: 60_000 })
    expect(await page.getByRole('region').first().getAttribute('aria-label')).toBe('calm')
    await calm.getByRole('link', { name: 'What to do' }).click()
    await page.waitForURL('**/docs/runbook.md#node_unreachable')
  })
})
