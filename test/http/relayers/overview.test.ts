// The overview of a relayer: its state and its conditions as its owner found them, who changed it last, and acknowledgments.
import { expect, test } from 'vitest'
import type { ApiKeyId } from '../../../src/domain/ids.ts'
import type { OwnerReport } from '../../../src/domain/owner-report.ts'
import { statusReasonOf, withWait } from '../../../src/domain/wait.ts'
import { someWait } from '../../domain/some-reasons.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { put, relayer, transaction } from '../support/rows.ts'
import { serve } from '../support/serve.ts'

const now = Date.now()
const short = {
  condition: 'balance_short',
  since: now - 60_000,
  facts: { of: 'send', balance: 1n, value: 0n, short: 2n ** 70n, paysL1: false },
} as const
const report: OwnerReport = {
  observedAt: now - 1_000,
  balance: { wei: 2n ** 70n, readAt: now - 2_000 },
  conditions: [short],
}
const at = (time: number) => new Date(time).toISOString()
const shown = {
  condition: 'balance_short',
  since: at(short.since),
  text: expect.stringMatching(/^the next send would wait: the balance/),
  facts: { of: 'send', balance: '1', value: '0', short: String(2n ** 70n), pays_l1: false },
  runbook: '/docs/runbook.md#balance_short',
}
const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const overview = '/api/v1/relayers/one/overview'
const acknowledgment = '/api/v1/relayers/one/conditions/balance_short/acknowledgment'

async function serveReport(found = report, setting: Parameters<typeof serve>[0] = {}) {
  const server = await serve(setting)
  await server.store.commit((session) => session.recordReport(relayer('one').id, found))
  return {
    ...server,
    async read() {
      const answer = await server.ask('GET', overview)
      expectSuccess(answer)
      return answer.body.data
    },
  }
}

test('its state, with the conditions as the owner found them and the balance that it read', async () => {
  await using server = await serveReport()
  const found = await server.read()
  expect(found).toMatchObject({
    ...{ id: 'one', state: 'waiting', conditions: [shown], observed_at: at(report.observedAt) },
    balance: { wei: String(2n ** 70n), read_at: at(now - 2_000) },
  })
  expect(found).not.toHaveProperty('changed')
  expect(found).not.toHaveProperty('runway')
  expect(found.warnings).toEqual([])
  expect((await server.ask('GET', '/api/v1/overview')).body.data[0]).toEqual(found)
  const missing = await server.ask('GET', '/api/v1/relayers/nobody/overview')
  expectFailure(missing, 404, 'Relayer with ID nobody not found', 'RELAYER_NOT_FOUND')
})

test.each([
  ['ok', { conditions: [] }],
  ['unreachable', { conditions: [short, { condition: 'node_unreachable', since: now }] }],
  ['unobserved', { observedAt: now - 901_000 }],
] as const)('%s', async (state, changes) => {
  await using server = await serveReport({ ...report, ...changes })
  expect(await server.read()).toMatchObject({ state })
})

test.each([
  ['unreachable', { condition: 'node_unreachable', since: now - 5_000 }],
  ['waiting', { condition: 'head_stalled', since: now - 5_000, facts: { block: 100 } }],
] as const)('%s by the later look of another relayer of its network, and by no earlier one', async (state, outage) => {
  // Both use the same nodes.
  const setting = { chain: { price: () => undefined } }
  await using server = await serveReport({ ...report, conditions: [] }, setting)
  const other = relayer('two')
  const looked = (observedAt: number, conditions: OwnerReport['conditions']) =>
    server.store.commit((session) => session.recordReport(other.id, { observedAt, conditions }))
  await looked(report.observedAt - 1, [outage, short])
  expect(await server.read()).toMatchObject({ state: 'ok', conditions: [] })
  await looked(report.observedAt + 1, [outage, short])
  const { condition } = outage
  expect(await server.read()).toMatchObject({ state, conditions: [{ condition, since: at(outage.since) }] })
  expect((await server.ask('GET', '/api/v1/overview')).body.data).toMatchObject([{ state }, { state }])
  await looked(report.observedAt + 2, [short])
  expect(await server.read()).toMatchObject({ state: 'ok', conditions: [] })
})

test('a pause is a state of its own, and the relayer’s readings stay', async () => {
  await using server = await serveReport()
  await server.store.commit((session) => session.saveRelayer(relayer('one', { paused: true })))
  expect(await server.read()).toMatchObject({ state: 'paused', conditions: [shown] })
})

test('the pause of a network shows at each of its relayers, with the key, the note and whose pause it is', async () => {
  const paused = { condition: 'paused', since: now - 5_000 } as const
  await using server = await serveReport({ ...report, conditions: [paused] })
  const { network } = relayer('one')
  const by = 'administrator' as ApiKeyId
  await server.store.commit((session) => session.markNetwork(network, { at: now, by, note: 'halted' }))
  const runbook = '/docs/runbook.md#paused'
  const held = { condition: 'paused', since: at(paused.since), runbook }
  const pause = { paused: false, state: 'paused', network_pause: { at: at(now), by, note: 'halted' } }
  const text = 'network "localhost" is paused'
  const found = await server.read()
  expect(found).toMatchObject({ ...pause, conditions: [{ ...held, text, facts: { by: 'network', network } }] })
  expect((await server.ask('GET', '/api/v1/overview')).body.data).toMatchObject([found, pause])
  expect((await server.ask('GET', '/api/v1/relayers/one')).body.data).toMatchObject({ network_paused: true })
  const signed = await server.ask('POST', '/api/v1/relayers/one/sign', json({ message: 'a greeting' }))
  expectFailure(signed, 400, `${text}: relayer "one" signs nothing new`, 'RELAYER_PAUSED')

  await server.store.commit((session) => session.saveRelayer(relayer('one', { paused: true })))
  const facts = { by: 'both', network }
  expect(await server.read()).toMatchObject({ ...pause, paused: true, conditions: [{ ...held, facts }] })
  await server.store.commit((session) => session.markNetwork(network, undefined))
  const own = await server.read()
  expect(own).toMatchObject({ paused: true, state: 'paused', conditions: [{ ...held, facts: { by: 'relayer' } }] })
  expect(own).not.toHaveProperty('network_pause')
})

test('the wait of a transaction has the words of its condition, and may show first', async () => {
  await using server = await serveReport({ ...report, conditions: [] })
  const facts = { nonce: 4, settledBelow: 9 }
  const waiting = withWait(transaction('waits', { phase: 'queued' }), { condition: 'node_behind', facts }, now)
  await put(server.store, waiting)
  const runbook = '/docs/runbook.md#node_behind'
  const words = { facts: { nonce: 4, settled_below: 9 }, text: statusReasonOf(waiting), since: at(now), runbook }
  expect(await server.read()).toMatchObject({ state: 'waiting', conditions: [{ condition: 'node_behind', ...words }] })
  // The owner has found it since, and it holds for longer.
  const conditions = [{ condition: 'node_behind', since: now - 9_000 } as const, short]
  await server.store.commit((session) => session.recordReport(relayer('one').id, { ...report, conditions }))
  const { conditions: held } = await server.read()
  expect(held).toEqual([{ condition: 'node_behind', ...words, since: at(now - 9_000) }, shown])
})

test('what a step found of transactions that have ended since is over', async () => {
  const conditions = [
    { condition: 'balance_short', since: now } as const,
    { condition: 'step_failing', since: now } as const,
    { ...someWait('gas_price_cap'), since: now },
  ]
  await using server = await serveReport({ ...report, conditions })
  const names = async () => {
    const { conditions: held } = await server.read()
    return held.map(({ condition }: { condition: string }) => condition)
  }
  expect(await names()).toEqual(['step_failing', 'gas_price_cap'])
  await put(server.store, transaction('waits', { phase: 'queued' }))
  expect(await names()).toEqual(['balance_short', 'step_failing', 'gas_price_cap'])
})

test('who changed it last, and by which operation', async () => {
  await using server = await serveReport()
  const permit = await server.ask('POST', '/api/v1/relayers/one/gap-fillers', json({ count: 1 }))
  expectSuccess(permit)
  expect((await server.read()).changed).toEqual({
    ...{ at: expect.any(String), by: expect.any(String) },
    ...{ operation: 'permitGapFillers', members: [] },
  })
})

test('how long the balance lasts, and what warns of its end, which changes no state', async () => {
  const funds = {
    runway: { ms: 5_400_900, perDay: 24n * 10n ** 18n },
    warnings: [
      { warning: 'runway_short', since: now - 7_000 },
      { warning: 'balance_low', since: now - 3_000 },
    ],
  } as const
  await using server = await serveReport({ ...report, conditions: [], funds })
  const one = relayer('one')
  const policies = { ...one.policies, runwayWarning: 3 * 86_400_000, lowBalance: 5n }
  await server.store.commit((session) => session.saveRelayer({ ...one, policies }))
  const runbook = '/docs/alerts.md#rescindtopupsoon'
  expect(await server.read()).toMatchObject({
    ...{ state: 'ok', conditions: [] },
    runway: { seconds: 5_400, per_day: String(24n * 10n ** 18n) },
    warnings: [
      {
        ...{ warning: 'runway_short', since: at(now - 7_000), runbook },
        text: 'the balance pays for 90 min of sends at 24 ether a day: below runway_warning (3d), or not far above it',
      },
      { warning: 'balance_low', since: at(now - 3_000), text: expect.stringMatching(/ether\) is low: below/), runbook },
    ],
  })
})

test('a condition is acknowledged with a note, shown beside it, and withdrawn', async () => {
  await using server = await serveReport()
  const note = 'topped up tonight'
  const answer = await server.ask('PUT', acknowledgment, json({ note }))
  expectSuccess(answer)
  const acknowledged = { at: expect.any(String), by: expect.any(String), note }
  expect(answer.body.data).toEqual({ ...shown, acknowledged })
  // It says that somebody acknowledged, and hides nothing.
  expect(await server.read()).toMatchObject({ state: 'waiting', conditions: [{ ...shown, acknowledged }] })
  const { entries } = await server.store.reads.audit(1)
  expect(entries).toMatchObject([
    { operation: 'acknowledgeCondition', outcome: 'allowed', relayerId: 'one', subjectId: 'balance_short' },
  ])

  const again = await server.ask('PUT', acknowledgment, json({}))
  expect(again.body.data.acknowledged).toEqual({ at: expect.any(String), by: expect.any(String) })
  const withdrawn = await server.ask('DELETE', acknowledgment)
  expectSuccess(withdrawn)
  expect(withdrawn.body.data).toEqual(shown)
  expect((await server.read()).conditions).toEqual([shown])
})

test('it lapses with the condition, also if that comes again', async () => {
  await using server = await serveReport()
  await server.ask('PUT', acknowledgment, json({}))
  const { id } = relayer('one')
  const later = { ...report, observedAt: now, conditions: [{ ...short, since: now }] }
  await server.store.commit((session) => session.recordReport(id, later))
  expect((await server.read()).conditions).toEqual([{ ...shown, since: at(now) }])
})

test.each(['PUT', 'DELETE'])('%s: a condition that the relayer does not have', async (method) => {
  await using server = await serveReport()
  const ask = (path: string) => server.ask(method, path, method === 'PUT' ? json({}) : {})
  expectFailure(
    await ask('/api/v1/relayers/one/conditions/paused/acknowledgment'),
    404,
    'relayer "one" does not have the condition paused: it has balance_short',
    'CONDITION_NOT_FOUND',
  )
  expectFailure(
    await ask('/api/v1/relayers/two/conditions/paused/acknowledgment'),
    404,
    'relayer "two" does not have the condition paused: it has none',
    'CONDITION_NOT_FOUND',
  )
  const missing = await ask('/api/v1/relayers/nobody/conditions/paused/acknowledgment')
  expectFailure(missing, 404, 'Relayer with ID nobody not found', 'RELAYER_NOT_FOUND')
  expect((await ask('/api/v1/relayers/one/conditions/misspelled/acknowledgment')).status).toBe(400)
})

test('a key that only reads acknowledges nothing', async () => {
  await using server = await serveReport()
  const reader = { name: 'reader', scopes: ['read'] }
  const { key: token } = (await server.ask('POST', '/api/v1/api-keys', json(reader))).body.data
  const refused = await server.ask('PUT', acknowledgment, { ...json({}), token })
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([401, 'SCOPE_MISSING'])
  expect((await server.read()).conditions).toEqual([shown])
})
