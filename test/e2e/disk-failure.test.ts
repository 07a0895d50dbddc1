// A disk that takes no more: a change that can't be made durable is an error and no promise, reads go on, and so does all else once
// there is room. The kernel's own limit of a file's size stands for the disk's end.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, mineUntil, pay, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ requiredConfirmations: 2, relayers: { one: { max_in_flight: 1 } } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(stage.service.pid), `--fsize=${bytes}:`])
}

test('nothing is answered that was not stored, and nothing is lost', async () => {
  const sender = stage.sender('one')
  const inFlight = await pay(stage, sender)
  const queued = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const { pid } = stage.service

  limitFiles(1)
  const path = `/relayers/${sender.id}/transactions`
  const body = { to: sender.address, value: '1', gas_limit: 21_000, speed: 'fast' }
  const refused = {
    status: 503,
    headers: { 'relayer-error-code': 'DATABASE_UNAVAILABLE' },
  }
  const sent = await stage.client.request('POST', path, { body })
  expect(sent).toMatchObject(refused)
  expect(sent.body).toMatchObject({
    success: false,
    message: 'the database has failed to read or write its files: nothing of this is stored',
  })
  for (const canceled of [queued.id, 'pending']) {
    const answer = await stage.client.request('DELETE', `${path}/${canceled}`)
    expect(answer).toMatchObject({ ...refused, status: 500, body: { message: 'Internal Server Error' } })
  }
  // Readiness is believed for a moment.
  const ready = await until(
    async () => {
      const answer = await stage.client.request('GET', '/ready')
      return answer.status === 503 && answer
    },
    { what: 'readiness to say so' },
  )
  expect(ready.body).toMatchObject({ message: 'the database has failed to read or write its files' })
  expect((await view(stage, queued)).status).toBe('pending')

  limitFiles('unlimited')
  expect((await cancel(stage, queued)).status).toBe('canceled')
  const late = await pay(stage, sender)
  await mineUntil(stage, 'both', async () => (await view(stage, late)).status === 'confirmed')
  expect((await view(stage, inFlight)).status).toBe('confirmed')
  expect(stage.rows.transactionsOf(sender.id)).toHaveLength(3)
  expect(stage.service.pid).toBe(pid)
  // One line when it began and one when it was over, for all requests and steps.
  const lines = stage.service.logs().split('\n')
  expect(lines.filter((line) => line.includes('the database does not work'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('the database works again'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('request failed'))).toEqual([])
  await audit(stage, sender)
})
