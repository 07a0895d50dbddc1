// The events of relayers in streams: a key sees those of its relayers.
import { expect, test } from 'vitest'
import { cancel } from '../../../src/domain/cancel.ts'
import type { Address } from '../../../src/domain/ids.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { at, put, relayer, transaction } from '../support/rows.ts'
import { apiKey, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

test('an event of a network’s nodes shows a key its own relayers alone, and a stream of one transaction has none', async () => {
  await using server = await serve()
  const { store, url } = server
  const address = `0x${'2'.repeat(40)}` as Address
  const [one, two] = [relayer('one'), relayer('two', { address })]
  for (const each of [one, two]) await store.commit((session) => session.saveRelayer(each))
  const created = await server.ask('POST', '/api/v1/api-keys', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', scopes: ['read'], relayers: [two.id] }),
  })
  await using live = openEventStream(url, apiKey)
  await using ofTwo = openEventStream(url, created.body.data.key)
  await using ofTransaction = openEventStream(url, apiKey, { query: 'transaction_id=life' })
  const all = [live, ofTwo, ofTransaction]
  await until(() => all.every(({ status, place }) => status === 200 && place !== undefined))
  const { network } = one
  const conditions = [{ condition: 'node_unreachable', since: at }] as const
  for (const observedAt of [at, at + 60_000]) {
    await store.commit(async (session) => {
      await session.recordReport(one.id, { observedAt, conditions })
      await session.attendNetwork(network, observedAt)
    })
  }
  await until(() => live.events.length > 0 && ofTwo.events.length > 0)
  const shown = { payload_type: 'network', id: network, network, waiting: 0 }
  const event = { event: 'relayer_attention', terminal: false }
  expect(live.events).toMatchObject([{ ...event, payload: { ...shown, relayers: ['one', 'two'] } }])
  expect(ofTwo.events).toMatchObject([{ ...event, payload: { ...shown, relayers: ['two'] } }])
  const sent = await put(store, transaction('life', { phase: 'queued' }))
  await store.commit((session) => session.saveTransaction(sent, cancel(sent, at), at))
  await until(() => ofTransaction.events.length > 0)
  expect(ofTransaction.events.map((each) => each.event)).toEqual(['transaction_update'])
})
