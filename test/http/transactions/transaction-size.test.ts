// A payload that no pool would take: refused by each operation that takes one, before anything is stored.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RelayerId } from '../../../src/domain/ids.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { receiver } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/api/v1/relayers/one/transactions'
const sends = (data: string) => ({ to: receiver, value: '1', data })
const largest = `0x${'ab'.repeat(130_800)}`
const tooLarge = `0x${'ab'.repeat(131_000)}`
const refusal =
  'data: makes a signed transaction of 131156 bytes, with its access_list, and pools accept at most 131072 (max_transaction_bytes of the network); send less, or in parts'

const ask = (method: string, to: string, body: object) =>
  server.ask(method, to, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const total = async () => (await server.store.reads.transactions('one' as RelayerId, {}, { page: 1, perPage: 1 })).total

test('POST', async () => {
  expectSuccess(await ask('POST', path, sends(largest)))
  const before = await total()
  expectFailure(await ask('POST', path, sends(tooLarge)), 400, refusal, 'INVALID_REQUEST')
  expect(await total()).toBe(before)
})

test('a batch: all or none, and the refusal names the item', async () => {
  expectSuccess(await ask('POST', `${path}/batch`, { transactions: Array(15).fill(sends(largest)) }))
  const before = await total()
  const body = { transactions: [sends('0x'), sends(`0x${'ab'.repeat(1_500_000)}`), sends(tooLarge)] }
  const refused = await ask('POST', `${path}/batch`, body)
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
  expect(refused.body.message.split('\n')).toEqual([
    `transactions[1].${refusal.replace('131156', '1500156')}`,
    `transactions[2].${refusal}`,
  ])
  expect(await total()).toBe(before)
})

test('PUT', async () => {
  const { id } = (await server.send('one', sends('0x'))).body.data
  expectSuccess(await ask('PUT', `${path}/${id}`, sends(largest)))
  expectFailure(await ask('PUT', `${path}/${id}`, sends(tooLarge)), 400, refusal, 'INVALID_REQUEST')
  expect((await server.ask('GET', `${path}/${id}`)).body.data.data).toBe(largest)
})
