// An allowance is one, whichever replica it is used up at.
import { expect, test } from 'vitest'
import { rateLimits, shareRates } from '../../../src/http/request/limit-rate.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { secret, secretUrl } from '../../../src/ops/secret.ts'
import { openPostgresHints } from '../../../src/store/postgres/hints.ts'
import { sharedPostgres } from '../../store/open-postgres.ts'
import { quiet } from '../../store/open-store.ts'
import { expectFailure } from '../support/expectations.ts'
import { serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const postgres = sharedPostgres()
/** A window so long that no test outlives it. */
const limits = { requestsPerSecond: 0.001, burst: 6 }

async function openReplica(url: string, self: string) {
  await using opened = new AsyncDisposableStack()
  const rates = rateLimits(limits)
  const shared = { clock: systemClock, random: systemRandom(), logger: quiet, keys: [secret('k'.repeat(32))] }
  const hints = opened.use(openPostgresHints({ url: secretUrl(new URL(url)), ...shared }))
  const connected = new AbortController()
  await new Promise<void>((resolve) => hints.listen(() => resolve(), connected.signal))
  connected.abort()
  opened.use(shareRates({ rates, hints, clock: systemClock, self }))
  const server = opened.use(await serve({ limits, rates }))
  const kept = opened.move()
  return { rates, server, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

test('what a key spends at one replica is gone at the other, once, and so are the tries of an unauthenticated client', async () => {
  const url = await (await postgres()).database()
  await using one = await openReplica(url, 'one')
  await using other = await openReplica(url, 'other')
  for (let times = 0; times < 4; times += 1) await one.server.ask('GET', '/api/v1/relayers')
  for (let tries = 0; tries < 6; tries += 1) await one.server.ask('GET', '/api/v1/relayers', { token: 'guess' })

  await until(() =>
    other.rates.checkAddressLimit('127.0.0.1').then(
      () => false,
      () => true,
    ),
  )
  const client = await other.server.ask('GET', '/api/v1/relayers', { token: 'guess' })
  expectFailure(client, 429, 'Too Many Requests', 'RATE_LIMITED')
  // Four of six are gone, by others' reports; nobody reports its own.
  const last = await other.server.ask('GET', '/api/v1/relayers')
  expect(last.headers).toMatchObject({ ratelimit: expect.stringMatching(/^"key";r=1;/) })
  await other.server.ask('GET', '/api/v1/relayers')
  expectFailure(await other.server.ask('GET', '/api/v1/relayers'), 429, 'Too Many Requests', 'RATE_LIMITED')
  await until(async () => (await one.server.ask('GET', '/api/v1/relayers')).status === 429)
})
