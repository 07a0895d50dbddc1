// The check names each host of a notification to which no event can be delivered, by its name or by its addresses.
import { expect, test } from 'vitest'
import { checkWebhooks } from '../../src/cli/check/check-webhooks.ts'
import { AddressRefused, guardAddresses } from '../../src/ops/guard-addresses.ts'
import { secret } from '../../src/ops/secret.ts'

/** As `guardAddresses` finds them: names of the internet can't be resolved here. */
const answers: Readonly<Record<string, Error | null>> = {
  'inside.example': new AddressRefused('its host resolves to an internal address'),
  'gone.example': Object.assign(new Error('not found'), { code: 'ENOTFOUND' }),
  'hooks.example': null,
}

async function found(url: string, allowed: readonly string[] = []): Promise<string> {
  const guard = guardAddresses(allowed)
  const [finding] = await checkWebhooks([{ id: 'hook', url: secret(url) }], {
    ...guard,
    lookup: (host, options, done) =>
      host in answers ? done(answers[host] ?? null, []) : guard.lookup(host, options, done),
  })
  return `${finding?.level}: ${finding?.text}`
}

const add = (host: string) => `; if that is meant, add ${host} to WEBHOOK_ALLOWED_HOSTS`

test.each([
  ['http://[::1]:8080/', `no event is delivered to ::1: its host is an internal address${add('::1')}`],
  ['http://localhost/', `no event is delivered to localhost: its host is an internal address${add('localhost')}`],
  [
    'https://inside.example/s3cr3t',
    `no event is delivered to inside.example: its host resolves to an internal address${add('inside.example')}`,
  ],
  ['https://gone.example/s3cr3t', "gone.example can't be resolved here (ENOTFOUND)"],
])('%s', async (url, text) => {
  expect(await found(url)).toBe(`warning: ${text}`)
})

test.each([
  ['https://hooks.example/', []],
  ['http://127.0.0.1:9000/', ['127.0.0.0/8']],
  ['http://[::1]/', ['::1']],
  ['http://localhost/', ['localhost']],
])('%s with %j', async (url, allowed) => {
  expect(await found(url, allowed)).toBe('ok: its host may be reached')
})
