// A running service is scraped while real transactions go their ways: the exported metrics are true, readable by Prometheus, and
// all that the shipped rules and dashboard read.
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { hex } from '../../tooling/ledger.ts'
import { readsOf, samplesOf } from '../ops/promql.ts'
import { shippedPanels, shippedRules } from '../ops/rules.ts'
import { type Exposition, readingOf, scrape } from '../support/exposition.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { cancel, inPool, mineUntil, noOpInPool, pay, payTimes, reached, verdict } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const ether = 10n ** 18n
const secretPath = 'v3/6d2f9b8c1a7e4f50'

const signingKey = 'a-signing-key-of-32-characters-or-more'

let receiver: WebhookReceiver
let taking = true
let stage: Stage<Anvil>
let metricsUrl: string
beforeAll(async () => {
  receiver = await startReceiver(signingKey, (_, response) => {
    if (!taking) response.writeHead(503).end()
  })
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { busy: { max_in_flight: 2 }, poor: { min_balance: String(5n * ether) } },
    notifications: [{ id: 'hook', url: receiver.url, signingKey }],
    service: { env: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' } },
    // The second is nobody: a node that is down, and would hold verdicts up for ten minutes.
    secondWitness: 'off',
    endpoints: async ({ line }) => [line, `http://127.0.0.1:9/${secretPath}`],
  })
  // It is logged a moment after the service answers that it is ready.
  const ready = () =>
    stage.service
      .logs()
      .split('\n')
      .find((line) => line.includes('"msg":"ready"'))
  metricsUrl = (JSON.parse(await until(ready, { what: 'the log line' })) as { metrics: string }).metrics
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

const shown = async (name: string, labels: Record<string, string> = {}) =>
  readingOf(await scrape(metricsUrl), name, labels)

async function shows(name: string, labels: Record<string, string>, value: number): Promise<void> {
  let last: number | undefined
  await until(
    async () => {
      last = await shown(name, labels)
      return last === value
    },
    { what: () => `${name}${JSON.stringify(labels)} to be ${value}; it is ${last}` },
  )
}

test('transactions, their ways and what they cost are counted', async () => {
  const sender = stage.sender('busy')
  const relayer = sender.id
  const payments = await payTimes(stage, sender, 5)
  await inPool(stage, sender, [0, 1])
  await shows('rescind_transactions', { relayer, status: 'pending' }, 3)
  await shows('rescind_relayer_in_flight', { relayer }, 2)
  expect(await shown('rescind_transactions_accepted_total', { relayer })).toBe(5)

  // Three that wait are dropped for nothing; those in the pool are raced for.
  await stage.client.cancelPending(relayer)
  for (const raced of payments.slice(0, 2)) await noOpInPool(stage, raced)
  await mineUntil(stage, 'both verdicts', async () => {
    return (await shown('rescind_cancellations_total', { relayer, verdict: 'won' })) === 2
  })
  expect(await shown('rescind_cancellations_total', { relayer, verdict: 'dropped' })).toBe(3)
  const reported = await Promise.all(payments.map(({ id }) => stage.client.cancellation(relayer, id)))
  const cost = reported.reduce((sum, verdict) => sum + BigInt(verdict.cost), 0n)
  expect(cost).toBeGreaterThan(0n)
  expect(await shown('rescind_cancellation_cost_wei_total', { relayer })).toBe(Number(cost))
  expect(await shown('rescind_fees_paid_wei_total', { relayer })).toBe(Number(cost))
  expect(await shown('rescind_cancellation_duration_seconds_count', { verdict: 'won' })).toBe(2)

  const paid = await pay(stage, sender)
  await mineUntil(
    stage,
    'a confirmation',
    async () => (await stage.client.get(relayer, paid.id)).status === 'confirmed',
  )
  await shows('rescind_transactions', { relayer, status: 'confirmed' }, 1)
  expect(await shown('rescind_transaction_status_duration_seconds_count', { status: 'confirmed' })).toBe(1)
  await shows('rescind_relayer_account_nonce', { relayer }, 3)
  // One that is mined, and not observed yet, lags by one.
  await shows('rescind_relayer_nonce_lag', { relayer }, 0)
})

test('a cancellation of something in the pool by itself is lost where the original is mined first', async () => {
  const sender = stage.sender('busy')
  const payment = await pay(stage, sender)
  await reached(stage, payment, 'submitted')
  stage.line.onSend({ do: 'drop' })
  await cancel(stage, payment)
  await until(() => stage.rows.attempts(payment.id).some(({ kind }) => kind === 'cancel'), { what: 'a no-op' })
  await stage.node.mine()
  stage.line.open()
  await stage.node.mine(3)
  await verdict(stage, payment, ({ state, final }) => state === 'lost' && final)
  await shows('rescind_cancellations_total', { relayer: sender.id, verdict: 'lost', origin: 'request' }, 1)
})

test('how long a balance lasts, and the warning that it is low, which holds nothing up', async () => {
  const relayer = 'busy'
  const spends = async () => {
    const { body } = await stage.client.request('GET', '/daily-spend')
    return (body as { data: readonly unknown[] }).data.length > 0
  }
  const policies = (body: object) => stage.client.request('PATCH', `/relayers/${relayer}`, { body: { policies: body } })
  await mineUntil(stage, 'spending', spends)
  const warning = 'balance_low'
  const labels = { relayer, warning }
  await policies({ low_balance: String(100_000n * ether) })
  await shows('rescind_relayer_warning', labels, 1)
  expect(await shown('rescind_relayer_warning', { ...labels, warning: 'runway_short' })).toBe(0)
  // Of 10,000 ether it spends next to nothing.
  expect(await shown('rescind_relayer_runway_seconds', { relayer })).toBe(315_360_000)
  const rule = (await shippedRules()).find(({ alert }) => alert === 'RescindTopUpSoon')
  const read = samplesOf(rule?.expr ?? '', await scrape(metricsUrl))
  expect(read.filter(({ value }) => value === 1).map(({ labels: of }) => of)).toEqual([labels])
  await policies({ low_balance: null })
  await shows('rescind_relayer_warning', labels, 0)
})

test('a condition of a relayer is shown as long as it lasts, with the balance and its floor beside it', async () => {
  const sender = stage.sender('poor')
  const labels = { relayer: sender.id, condition: 'balance_below_minimum' }
  await stage.node.rpc('anvil_setBalance', [sender.address, hex(2n * ether)])
  const payment = await pay(stage, sender)
  await shows('rescind_relayer_condition', labels, 1)
  expect(await shown('rescind_relayer_balance_wei', { relayer: sender.id })).toBe(Number(2n * ether))
  expect(await shown('rescind_relayer_min_balance_wei', { relayer: sender.id })).toBe(Number(5n * ether))
  await stage.node.rpc('anvil_setBalance', [sender.address, hex(9n * ether)])
  await mineUntil(stage, 'the send', async () => (await stage.client.get(sender.id, payment.id)).status === 'confirmed')
  await shows('rescind_relayer_condition', labels, 0)
  const log = stage.service.logs()
  const lines = log.split('\n').filter((line) => line.includes('balance_below_minimum'))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', relayer_id: 'poor', condition: 'balance_below_minimum' },
    { level: 'info', relayer_id: 'poor', condition: 'balance_below_minimum' },
  ])
})

test('delivered, waiting and given-up events of a webhook are counted', async () => {
  const notification = 'hook'
  const tries = (result: string) => shown('rescind_webhook_tries_total', { notification, result })
  // An event waits from its turn on, a moment after it is published.
  const events = ['busy', 'poor'].flatMap((relayer) => stage.rows.eventsOf(relayer)).length
  await until(() => receiver.taken.length === events, { what: () => `${events} events; ${receiver.taken.length} came` })
  await shows('rescind_webhook_tries_total', { notification, result: 'delivered' }, events)
  await shows('rescind_webhook_waiting', { notification }, 0)
  expect(await shown('rescind_webhook_dead_letters', { notification })).toBe(0)
  const failed = (await tries('failed')) ?? 0
  taking = false
  const before = (await tries('delivered')) ?? 0
  const payment = await pay(stage, stage.sender('poor'))
  await until(async () => ((await shown('rescind_webhook_waiting', { notification })) ?? 0) > 0, {
    what: 'a waiting event',
  })
  await until(async () => ((await tries('failed')) ?? 0) > failed, { what: 'a failed try' })
  expect(await tries('delivered')).toBe(before)
  taking = true
  await mineUntil(stage, 'the send', async () => (await stage.client.get('poor', payment.id)).status === 'confirmed')
  await shows('rescind_webhook_waiting', { notification }, 0)
})

test('endpoints differ by their place, and nothing of their URLs is exported', async () => {
  const exposition = await scrape(metricsUrl)
  const network = 'localhost'
  expect(readingOf(exposition, 'rescind_endpoint_up', { network, endpoint: '0' })).toBe(1)
  expect(readingOf(exposition, 'rescind_endpoint_up', { network, endpoint: '1' })).toBe(0)
  const failed = { network, endpoint: '1', method: 'eth_chainId', kind: 'not_sent' }
  expect(readingOf(exposition, 'rescind_rpc_errors_total', failed)).toBeGreaterThan(0)
  expect(readingOf(exposition, 'rescind_head_block_number', { network })).toBeGreaterThan(0)
  const text = await (await request(metricsUrl)).body.text()
  for (const secret of [
    secretPath,
    stage.service.apiKey,
    '127.0.0.1:9',
    ...stage.files.relayers.map(({ privateKey }) => privateKey),
  ]) {
    expect(text).not.toContain(secret)
  }
})

test('requests are counted by operation, and those for no operation under one name', async () => {
  await request(`${stage.service.url}/api/v1/no/such/path`, {
    headers: { authorization: `Bearer ${stage.service.apiKey}` },
  })
  await request(`${stage.service.url}/another`)
  await shows('rescind_http_requests_total', { operation: 'unmatched', status: '404' }, 2)
  expect(await shown('rescind_http_requests_total', { operation: 'cancelPendingTransactions', status: '200' })).toBe(1)
})

test('every metric and label that rules and dashboard read is exported, and every expression parses', async () => {
  const open = await pay(stage, stage.sender('busy'))
  await reached(stage, open, 'submitted')
  await until(async () => (await shown('rescind_relayer_oldest_open_timestamp_seconds')) !== undefined, {
    what: 'something open',
  })
  const exposition = await scrape(metricsUrl)
  const rules = await shippedRules()
  const recorded = new Set(rules.map(({ record }) => record))
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...(await shippedPanels()).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ]
  const missing = expressions.flatMap((expression) => {
    const { selectors } = readsOf(expression)
    return selectors
      .filter(({ metric }) => !recorded.has(metric))
      .flatMap(({ metric, labels }) => lacking(exposition, metric, labels))
  })
  expect(missing).toEqual([])
})

/** Samples of a metric carry all of its labels, so one shows them. */
function lacking(exposition: Exposition, metric: string, labels: readonly string[]): string[] {
  const family = exposition.get(metric) ?? exposition.get(metric.replace(/_(?:bucket|sum|count)$/, ''))
  if (!family) return [`${metric} is not exported`]
  const [sample] = family.samples.filter(({ name }) => name === metric)
  if (!sample) return mayBeSilent.has(metric) ? [] : [`${metric} has no sample`]
  return labels.filter((label) => sample.labels[label] === undefined).map((label) => `${metric} has no label ${label}`)
}

/** Nothing went so wrong here, no event waits, and this database is SQLite: another test reads the figures of PostgreSQL. */
const mayBeSilent = new Set([
  ...['rescind_relayer_step_failures_total', 'rescind_endpoint_lags_total'],
  'rescind_webhook_oldest_timestamp_seconds',
])

test('the names that a client gives its transactions never appear in metrics', async () => {
  const sender = stage.sender('busy')
  const body = {
    ...{ to: sender.address, value: '1', gas_limit: 21_000 },
    ...{ external_id: 'payout-xylophone', tags: ['tag-xylophone'], note: 'note xylophone', hold: true },
  }
  const path = `/relayers/${sender.id}/transactions`
  const before = (await shown('rescind_transactions_accepted_total', { relayer: sender.id })) ?? 0
  const sent = await stage.client.request('POST', path, { body })
  expect(sent.status).toBe(200)
  await shows('rescind_transactions_accepted_total', { relayer: sender.id }, before + 1)
  const listed = await stage.client.request('GET', `${path}?external_id=payout-xylophone`)
  expect(listed.status).toBe(200)
  const { data } = sent.body as { readonly data: { readonly id: string } }
  const dropped = { relayer: sender.id, verdict: 'dropped', origin: 'request' }
  const droppedBefore = (await shown('rescind_cancellations_total', dropped)) ?? 0
  await stage.client.cancel(sender.id, data.id)
  await shows('rescind_cancellations_total', dropped, droppedBefore + 1)
  const answer = await request(metricsUrl)
  // Letters: a figure may hold any digits.
  expect(await answer.body.text()).not.toContain('xylophone')
})

test('there is nothing but metrics on that port', async () => {
  const other = await request(metricsUrl.replace('/metrics', '/api/v1/relayers'))
  expect(other.statusCode).toBe(404)
  await other.body.dump()
  const posted = await request(metricsUrl, { method: 'POST' })
  expect(posted.statusCode).toBe(405)
  await posted.body.dump()
})
