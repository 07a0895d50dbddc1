// A night on which a cancellation is lost: every signal says so, though nothing is stuck.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import type { Desk } from '../browser/support/visit.ts'
import { cancel, inPool, pay, reached, verdict, view } from '../e2e/support/play.ts'
import type { Stage } from '../e2e/support/stage.ts'
import { isSkipped } from '../support/is-skipped.ts'
import type { WebhookReceiver } from '../support/webhook-receiver.ts'
import { type Night, openNight } from './support/night.ts'
import { firstCommand, readBy, rescind, shown } from './support/operator.ts'

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  let night: Night
  let desk: Desk<Stage<Anvil>>
  let receiver: WebhookReceiver
  beforeAll(async () => {
    night = await openNight()
    ;({ desk, receiver } = night)
  })
  afterAll(() => night?.[Symbol.asyncDispose]())

  test('its event, metric, alert, list and page say that the cancellation came too late', async () => {
    const stage = desk.scene
    const { node, line, service } = stage
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    const { hash } = await reached(stage, payment, 'submitted')
    await inPool(stage, sender, [0])
    line.onSend({ do: 'drop' })
    await cancel(stage, payment)
    await until(() => stage.rows.attempts(payment.id).some(({ kind }) => kind === 'cancel'), { what: 'a no-op' })
    await node.mine()
    line.open()
    await node.mine(2)
    await verdict(stage, payment, ({ state, final }) => state === 'lost' && final)

    const last = await until(() => receiver.taken.find(({ event }) => event.terminal), { what: 'the last event' })
    expect(last.event).toMatchObject({
      event: 'transaction_update',
      cancellation: { state: 'lost', final: true, safe_to_retry: false, origin: 'request', winner: { hash } },
    })
    expect(last.event.payload).toEqual({ payload_type: 'transaction', ...(await view(stage, payment)) })
    expect(receiver.taken.filter(({ event }) => event.cancellation)).toHaveLength(1)

    const labels = { relayer: 'one', verdict: 'lost', origin: 'request' }
    const read = await readBy('RescindCancellationLost', service)
    expect(read.map(({ labels: found, value }) => [found, value])).toContainEqual([labels, 1])

    // Nothing waits: an exit code that says so would call somebody who can do nothing here.
    const status = await shown(service, ['status'], /\none +localhost +0x\w+ +ok +0 +0 /)
    expect(status.exit).toBe(0)
    const look = await rescind(service, await firstCommand('alerts.md', 'RescindCancellationLost', 'one'))
    expect(look.stdout).toMatch(new RegExp(`^${payment.id} +too late .*the cancellation lost`, 'm'))

    const { page } = desk.operator
    await page.goto(`${service.url}/`)
    await page.getByText('No relayer is stuck').waitFor()
    await page.goto(`${service.url}/relayers/one`)
    await page.getByText('More filters').click()
    await page.getByLabel('Verdict').selectOption('won')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const late = page.locator('section[aria-labelledby=transactions] tbody').getByText('too late')
    await late.waitFor({ state: 'detached' })
    await page.getByLabel('Verdict').selectOption('lost')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await late.waitFor()
    expect(desk.operator.faults).toEqual([])
  })
})
