// One request without a key, through a proxy that repeats it on 503: what is stored of it, whatever becomes of its COMMIT.
import { request } from 'undici'
import { expect } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import type { Postgres } from '../../../tooling/postgres.ts'
import { apiKey } from '../../http/support/serve.ts'
import { type Place, sendBody, servingOn } from '../../http/support/serve-on-postgres.ts'

/** `hidden`: the server commits, and nobody can read that. */
export const fates = ['before', 'after', 'late', 'hidden'] as const

/** `through` opens a proxy before the port of the service. */
export async function expectOnePayload(
  server: () => Promise<Postgres>,
  fate: (typeof fates)[number],
  through: (port: number) => Promise<{ readonly port: number } & AsyncDisposable>,
): Promise<void> {
  const isHidden = fate === 'hidden'
  await using place = await servingOn(server)(isHidden ? { clock: systemClock } : {})
  await using proxy = await through(place.serving.port)
  place.line.hideFates(isHidden)
  const cut = place.line.cutAtCommit(isHidden ? 'after' : fate)
  const status = await send(proxy.port)
  await cut
  // What was aborted is repeated, and stored by the second try.
  expect([status, await storedBy(place)]).toEqual([isHidden ? 500 : 200, 1])
}

async function send(port: number): Promise<number> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/api/v1/relayers/one/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: sendBody,
  })
  await body.dump()
  return statusCode
}

/** A further send waits for what is still being stored for its relayer. */
async function storedBy(place: Place): Promise<number> {
  place.line.hideFates(false)
  expect(await send(place.serving.port)).toBe(200)
  return (await place.stored()) - 1
}
