// Nights on which a condition holds a relayer up: the console, the metric, the alert and the event say so, and the first command of the
// runbook shows the cause.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { hex } from '../../tooling/ledger.ts'
import { type Desk, openDesk } from '../browser/support/visit.ts'
import { inPool, mineUntil, pay, reached, view } from '../e2e/support/play.ts'
import { anvilStage, type Stage, type StageOptions } from '../e2e/support/stage.ts'
import { type LyingStage, lyingStage } from '../lies/support/lying-stage.ts'
import { isSkipped } from '../support/is-skipped.ts'
import type { WebhookReceiver } from '../support/webhook-receiver.ts'
import { reportingTo, startNightReceiver } from './support/night.ts'
import { lookAt, readBy, rescind } from './support/operator.ts'

const gwei = 10n ** 9n

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startNightReceiver()
})
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]()
})

function staged(relayers: StageOptions['relayers']) {
  return { relayers, ...reportingTo(receiver) }
}

interface Night {
  readonly relayer: string
  readonly condition: string
  readonly title: string
  readonly alert: string
  /** The sentence of the condition. */
  readonly reason: RegExp
  /** What the runbook's first command shows. */
  readonly cause: RegExp
}

/** All that an operator sees of it. Home says how many relayers are stuck, and the row which condition holds this one up. */
async function isSeen(desk: Desk<Stage<unknown>>, { relayer, condition, title, alert, reason, cause }: Night) {
  const { service } = desk.scene
  // The transaction has its reason a moment before the owner's report.
  const row = new RegExp(`\n${relayer} +localhost +0x\\w+ +waiting +`)
  const shown = async () => {
    const status = await rescind(service, ['status', '-r', relayer])
    return row.test(status.stdout) && status.stdout.includes(`\n${relayer}: ${condition} `) ? status : undefined
  }
  const what = () => `${condition}\n${service.logs().slice(-3000)}`
  const status = await until(shown, { limitMs: 240_000, what })
  expect(status.exit).toBe(6)
  expect(status.stdout).toMatch(reason)
  expect(status.stdout).toContain(`/docs/runbook.md#${condition}`)

  const labels = { relayer, condition }
  expect((await readBy(alert, service)).map((sample) => [sample.labels, sample.value])).toContainEqual([labels, 1])
  const attention = () =>
    receiver.taken.find(
      ({ event }) => event.event === 'transaction_attention' && reason.test(event.payload.status_reason ?? ''),
    )
  await until(attention, { what: 'an event with the reason' })

  const look = await lookAt(desk.scene, 'runbook.md', condition, relayer)
  expect(look).toMatch(cause)

  const { page } = desk.operator
  await page.goto(`${service.url}/`)
  await page.getByText(`${relayer} is stuck`).waitFor()
  await page.locator('table.relayers tbody').getByText(title).waitFor()
  expect(desk.operator.faults).toEqual([])
}

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  test('in flight at the cap, below the base fee', async () => {
    await using desk = await openDesk(() => anvilStage(staged({ one: { gas_price_cap: String(3n * gwei) } })))
    const { scene: stage } = desk
    const sender = stage.sender('one')
    const first = await pay(stage, sender)
    const second = await pay(stage, sender)
    await reached(stage, second, 'submitted')
    await inPool(stage, sender, [0, 1])
    const dear = () => stage.node.rpc('anvil_setNextBlockBaseFeePerGas', [hex(30n * gwei)])
    await dear()
    await mineUntil(stage, 'the reason', async () => {
      await dear()
      return (await view(stage, first)).status_reason !== undefined
    })
    await isSeen(desk, {
      ...{ relayer: 'one', condition: 'gas_price_cap', title: 'Gas price above the cap', alert: 'RescindPriceCapped' },
      ...{ reason: /cap/, cause: /"network_price":.*"per_gas":"[23]\d{10}"/ },
    })
    // Beside the first attempt there is one at the cap, and no other of the same cap.
    expect(stage.rows.attempts(first.id).length).toBeLessThanOrEqual(2)
  })

  test('the only node stands still', async () => {
    await using desk = await openDesk(() => anvilStage(staged({ one: {} })))
    const { scene: stage } = desk
    const payment = await pay(stage, stage.sender('one'))
    await reached(stage, payment, 'submitted')
    await isSeen(desk, {
      ...{ relayer: 'one', condition: 'head_stalled', title: 'No new block', alert: 'RescindHeadStalled' },
      ...{ reason: /block/, cause: /\n +0 +127\.0\.0\.1:\d+ +\w+ +0 +(\d+ min|[6-9]\d s) / },
    })
  })

  test('one node of two leaves a payment out of its block', async () => {
    await using desk = await openDesk<LyingStage>(() =>
      lyingStage('one of two', { ...staged({ one: {} }), requiredConfirmations: 3 }),
    )
    const { scene: stage } = desk
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [0])
    stage.liar.lie(({ method }, honest) => {
      const { result } = honest as { result?: { transactions?: readonly unknown[] } | null }
      if (method !== 'eth_getBlockByNumber' || !result?.transactions?.length) return undefined
      return { result: { ...result, transactions: [] } }
    })
    await mineUntil(stage, 'the reason', async () => (await view(stage, payment)).status_reason !== undefined)
    await isSeen(desk, {
      ...{ relayer: 'one', condition: 'witnesses_contradict', title: 'Endpoints contradict each other' },
      ...{ alert: 'RescindWitnessMissing', reason: /endpoint/, cause: /"condition":"witnesses_contradict"/ },
    })
  })
})
