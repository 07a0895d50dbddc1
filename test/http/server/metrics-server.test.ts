// The port of the metrics: it answers whatever the store does, and says in words when it can't be had.
import { request } from 'undici'
import { expect, test } from 'vitest'
import { openMetricsServer } from '../../../src/http/server/open-metrics-server.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { OperatorError } from '../../../src/ops/operator-error.ts'
import { quiet } from '../../store/open-store.ts'
import { until } from '../support/until.ts'

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
  await until(() => looks === 1)
  finish()
  for (const answer of await Promise.all(both)) expect(await answer.body.text()).toBe('a 1\n')
})

test('a taken port is reported with the remedy', async () => {
  await using first = open(async () => undefined)
  const port = Number(new URL(await first.listen(anywhere)).port)
  await using second = open(async () => undefined)
  const refused = second.listen({ ...anywhere, port })
  await expect(refused).rejects.toThrow(OperatorError)
  await expect(refused).rejects.toThrow(
    /^METRICS_PORT: another process listens on 127\.0\.0\.1:\d+; stop it, or set METRICS_PORT to a free port/,
  )
})

test('one metric by its name, and the names for clients that request JSON', async () => {
  const text = '# HELP a Of a.\n# TYPE a gauge\na 1\n# HELP a_b Of b.\n# TYPE a_b counter\na_b{c="d"} 2\n'
  const contentType = 'text/plain; version=0.0.4; charset=utf-8'
  await using server = openMetricsServer({
    expose: async () => ({ contentType, text }),
    sample: async () => undefined,
    clock: systemClock,
    logger: quiet,
  })
  const base = (await server.listen(anywhere)).replace('/metrics', '')
  const get = async (path: string, accept?: string) => {
    const answer = await request(base + path, { headers: accept === undefined ? {} : { accept } })
    return [answer.statusCode, answer.headers['content-type'], await answer.body.text()]
  }
  const json = 'application/json; charset=utf-8'
  expect(await get('/metrics', 'application/json, text/plain, */*')).toEqual([200, json, '["a","a_b"]'])
  expect(await get('/metrics', 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5')).toEqual([
    200,
    contentType,
    text,
  ])
  expect(await get('/metrics')).toEqual([200, contentType, text])
  expect(await get('/debug/metrics/scrape', 'application/json')).toEqual([200, contentType, text])
  expect(await get('/metrics/a')).toEqual([200, contentType, '# HELP a Of a.\n# TYPE a gauge\na 1\n'])
  expect((await get('/metrics/a_'))[0]).toBe(404)
  expect((await get('/metrics/__proto__'))[0]).toBe(404)
  expect((await get('/metricsx'))[0]).toBe(404)
})
