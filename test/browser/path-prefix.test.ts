// The dashboard behind a proxy that serves it below a path, and takes the path off.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { chromiumMissing, chromiumPath } from '../../tooling/dashboard/browser.ts'
import { setScene } from '../../tooling/dashboard/scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { openDesk, signIn, visit } from './support/visit.ts'

if (chromiumPath === undefined) process.stderr.write(`The dashboard below a path is skipped: ${chromiumMissing}.\n`)

async function proxyTo(url: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((incoming, answer) => {
    const [, path] = /^\/tools\/rescind(\/.*)$/.exec(incoming.url ?? '') ?? []
    if (path === undefined) {
      answer.writeHead(404).end()
      return
    }
    const { method = 'GET', headers } = incoming
    const passed = request(`${url}${path}`, { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools/rescind`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  test('signs in, follows links and events, and reads a page anew, all below the path', async () => {
    await using desk = await openDesk(() => setScene({ queued: 5 }))
    await using proxy = await proxyTo(desk.scene.service.url)
    await using operator = await visit(desk.browser)
    const { page, faults } = operator
    await signIn(page, { ...desk.scene.service, url: proxy.url })
    await page.getByRole('link', { name: 'payouts', exact: true }).click()
    await page.waitForURL(`${proxy.url}/relayers/payouts`)
    await page.getByRole('heading', { name: 'payouts' }).first().waitFor()
    await page.reload()
    await page.getByText('Live').first().waitFor()
    await page.getByRole('link', { name: 'Bulk cancellations' }).click()
    await page.waitForURL(`${proxy.url}/bulk-cancellations`)
    await page.goBack()
    await page.getByRole('heading', { name: 'payouts' }).first().waitFor()
    expect(faults).toEqual([])
  })
})
