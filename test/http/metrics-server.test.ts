// The port of the metrics: it answers whatever the store does, and says in words when it can't be had.
import { request } from 'undici'
import { expect, test } from 'vitest'
import { openMetricsServer } from '../../src/http/open-metrics-server.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { quiet } from '../store/open-store.ts'

const expose = async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'a 1\n' })
const open = (sample: () => Promise<void>) => openMetricsServer({ expose, sample, clock: systemClock, logger: quiet })
const anywhere = { host: '127.0.0.1', port: 0 }

test.each([
  ['hangs', () => new Promise<void>(() => undefined)],
  ['fails', () => Promise.reject(new Error('the disk is gone'))],
])('a store that %s does not keep the rest from being scraped', async (_, sample) => {
  await using server = open(sample)
  const answer = await request(await server.listen(anywhere))
  expect(answer.statusCode).toBe(200)
  expect(await answer.body.text()).toBe('a 1\n')
})

test('scrapers that come together share one look', async () => {
  let looks = 0
  let finish = () => {}
  await using server = open(() => {
    looks += 1
    return new Promise((resolve) => {
      finish = resolve
    })
  })
  const url = await server.listen(anywhere)
  const both = [request(url), request(url)]
  await expect.poll(() => looks).toBe(1)
  finish()
  for (const answer of await Promise.all(both)) expect(await answer.body.text()).toBe('a 1\n')
})

test('a port that is taken is told with what to do', async () => {
  await using first = open(async () => undefined)
  const port = Number(new URL(await first.listen(anywhere)).port)
  await using second = open(async () => undefined)
  const refused = second.listen({ ...anywhere, port })
  await expect(refused).rejects.toThrow(OperatorError)
  await expect(refused).rejects.toThrow(
    /METRICS_PORT: 127\.0\.0\.1:\d+ can't be listened on \(EADDRINUSE\); give it a free/,
  )
})
