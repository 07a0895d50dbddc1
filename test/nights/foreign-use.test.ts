// A night on which somebody else uses the key of a relayer: behind the back of an idle one, and for the nonce of a payment.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import type { Desk } from '../browser/support/visit.ts'
import { spendBehindItsBack } from '../e2e/support/foreign.ts'
import { inPool, pay, reached } from '../e2e/support/play.ts'
import type { Stage } from '../e2e/support/stage.ts'
import { isSkipped } from '../support/is-skipped.ts'
import type { WebhookReceiver } from '../support/webhook-receiver.ts'
import { type Night, openNight } from './support/night.ts'
import { firstCommand, readBy, rescind, shown } from './support/operator.ts'

/** A look comes within a minute, and an event when the condition has held for a minute. */
const limitMs = 150_000

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  let night: Night
  let desk: Desk<Stage<Anvil>>
  let receiver: WebhookReceiver
  beforeAll(async () => {
    night = await openNight()
    ;({ desk, receiver } = night)
  })
  afterAll(() => night?.[Symbol.asyncDispose]())

  /** What the account does before is its own past. */
  async function firstLook({ directory }: Stage<Anvil>['service']) {
    const looks = () => databaseIn(directory).read('SELECT looked_below FROM foreign_looks WHERE relayer_id = ?', 'one')
    await until(() => looks().length > 0, { what: 'the first look' })
  }

  /** What the runbook's first command shows, once it shows the condition. */
  async function foreignUse(text: RegExp) {
    return shown(desk.scene.service, await firstCommand('runbook.md', 'foreign_use', 'one'), text, limitMs)
  }

  async function acknowledge() {
    const { page } = desk.operator
    const { service } = desk.scene
    await page.goto(`${service.url}/relayers/one`)
    const notice = page.locator('.notice').filter({ hasText: 'The key was used elsewhere' })
    await notice.getByRole('button', { name: 'Acknowledge…' }).click()
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await notice.waitFor({ state: 'detached' })
    const status = () => rescind(service, ['status', '-r', 'one'])
    expect((await status()).stdout).not.toContain('foreign_use')
    // A single node has to count the nonce three times before the next send would be bound behind it.
    await until(async () => (await status()).exit === 0, { limitMs, what: 'a status without a condition' })
  }

  test('an idle relayer shows the use, until it is acknowledged', async () => {
    const stage = desk.scene
    const { node, service } = stage
    await firstLook(service)
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [0])
    await node.mine(3)
    await reached(stage, payment, 'confirmed')
    const hash = await spendBehindItsBack(node, sender, 1)
    await node.mine(3)
    await service.kill9()
    await service.restart()
    const status = await foreignUse(/one: foreign_use/)
    expect(status.exit).not.toBe(0)
    expect(status.stdout).toContain(`nonce 1 was used by another user of the key, or by transactions of a history`)
    expect(status.stdout).toContain(hash)
    const labels = { relayer: 'one', condition: 'foreign_use' }
    const isRaised = async () => (await readBy('RescindForeignUse', service)).some(({ value }) => value === 1)
    await until(isRaised, { what: 'the metric' })
    expect((await readBy('RescindForeignUse', service)).map((each) => [each.labels, each.value])).toEqual([[labels, 1]])
    const { page } = desk.operator
    await page.goto(`${service.url}/`)
    await page.locator('table.relayers tbody').getByText('The key was used elsewhere').waitFor()
    const attention = () => receiver.taken.find(({ event }) => event.event === 'relayer_attention')
    const { event } = await until(attention, { limitMs, what: 'the event of the relayer' })
    expect(event).toMatchObject({ terminal: false, payload: { payload_type: 'relayer', id: 'one' } })
    const condition = expect.objectContaining({ condition: 'foreign_use' })
    expect(event.payload).toHaveProperty('conditions', expect.arrayContaining([condition]))
    await acknowledge()
  })

  test('a payment that lost its nonce shows it, and gets another nonce', async () => {
    const stage = desk.scene
    const { node } = stage
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [2])
    const hash = await spendBehindItsBack(node, sender, 2)
    await node.mine(4)
    const status = await foreignUse(/foreign_use/)
    expect(status.stdout).toContain(hash)
    await until(
      async () => {
        await node.mine()
        return (await stage.client.get('one', payment.id)).status === 'confirmed'
      },
      { what: 'the payment' },
    )
    await acknowledge()
    expect(desk.operator.faults).toEqual([])
  })
})
