// A night on which the webhooks of an installation go to an internal host that nobody allowed: the console shows it before the first
// event is a dead letter.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { serviceEnvironment } from '../../tooling/service-files.ts'
import { type Desk, openDesk } from '../browser/support/visit.ts'
import { pay, reached } from '../e2e/support/play.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { firstCommand, readBy, rescind, shown } from './support/operator.ts'

const signingKey = 'a-signing-key-of-32-characters-or-more'

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  let receiver: WebhookReceiver
  let desk: Desk<Stage<Anvil>>
  beforeAll(async () => {
    receiver = await startReceiver(signingKey)
    desk = await openDesk(() =>
      anvilStage({ relayers: { one: {} }, notifications: [{ id: 'hook', url: receiver.url, signingKey }] }),
    )
  })
  afterAll(async () => {
    await desk?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  test('the check, status, home, metrics and the alert name the notification, and the setting that allows its host', async () => {
    const stage = desk.scene
    const { service, files, rows } = stage
    const { port } = new URL(service.url)
    const env = serviceEnvironment(service.directory, {
      ...{ ...files, notifications: [{ id: 'hook', url: receiver.url, signingKey }] },
      ...{ apiKey: service.apiKey, port: Number(port), metricsPort: Number(new URL(service.metricsUrl).port) },
    })
    const checked = await rescind(service, ['check'], env)
    expect(checked).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(
        /warning +notification hook +WEBHOOK_ALLOWED_HOSTS +no event is delivered to 127\.0\.0\.1: .* add 127\.0\.0\.1 to WEBHOOK_ALLOWED_HOSTS/,
      ),
    })

    const payment = await pay(stage, stage.sender('one'))
    await reached(stage, payment, 'submitted')
    const tried = await until(() => rows.deliveries('hook').find(({ tries }) => tries > 0), { what: 'a try' })
    expect([tried.state, tried.transaction_id]).toEqual(['waiting', payment.id])
    // Nothing is left for the relayer itself to report.
    await stage.node.mine()
    await reached(stage, payment, 'confirmed')
    const blocked = /refused: its host is an internal address; .*WEBHOOK_ALLOWED_HOSTS/

    // It holds no relayer up.
    const look = await firstCommand('alerts.md', 'RescindWebhookFailing', 'one')
    const status = await shown(service, look, /\none +localhost +0x\w+ +ok +0 +0 /)
    expect(status.exit).toBe(0)
    expect(status.stdout).toMatch(
      /^notification hook \(http:\/\/127\.0\.0\.1:\d+\/\*\*\*\): fails for \d+ s: refused: /m,
    )
    expect(status.stdout).toMatch(blocked)
    const json = JSON.parse((await rescind(service, ['status', '--json'])).stdout)
    expect(json.failing_notifications).toMatchObject([
      { id: 'hook', failing: { error: expect.stringMatching(blocked) } },
    ])

    const read = await readBy('RescindWebhookFailing', service)
    const waiting = read.filter(({ name, value }) => name === 'rescind_webhook_waiting' && value > 0)
    expect(waiting.map(({ labels }) => labels)).toEqual([{ notification: 'hook' }])
    // None was delivered.
    expect(read.filter(({ name, value }) => name === 'rescind_webhook_tries_total' && value > 0)).toEqual([])

    const { page } = desk.operator
    await page.goto(`${service.url}/`)
    const mark = page.getByRole('status').filter({ hasText: 'webhooks fail' })
    await mark.waitFor()
    expect(await mark.textContent()).toMatch(/hook \(http:\/\/127\.0\.0\.1:\d+\/\*\*\*\) for .*refused: /)
    await mark.getByRole('link', { name: 'What to do' }).click()
    await page.waitForURL('**/docs/alerts.md#rescindwebhookfailing')
    expect(receiver.seen).toBe(0)
    expect(desk.operator.faults).toEqual([])
  })
})
