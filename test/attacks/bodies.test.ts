// Attacks by what a body holds.
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { attack, json, parse, payment, receiver, sendPath, type Target, underAttack } from './support/attack.ts'

underAttack()

attack(
  59,
  'bodies that are long to refuse: a million items, members without a name, mistakes in all of them',
  async (target) => {
    const { ask } = target
    const ones = (count: number) => `[${Array(count).fill(1).join(',')}]`
    const unknown = Array.from({ length: 20_000 }, (_, each) => `"k${each}":1`).join(',')
    const refusals = [
      [
        'POST',
        `${sendPath}/batch`,
        `{"transactions":${ones(1_000_000)}}`,
        /^body: has more than 65536 brackets and commas; send fewer items, or in parts$/,
      ],
      ['POST', `${sendPath}/batch`, `{"transactions":${ones(60_000)}}`, /^transactions: has 60000 items; send a list/],
      [
        'POST',
        `${sendPath}/batch`,
        `{"transactions":[{"access_list":${ones(30_000)}}]}`,
        /^transactions\[0\]\.access_list: has 30000/,
      ],
      [
        'POST',
        sendPath,
        `{"access_list":[{"storage_keys":${ones(60_000)}}]}`,
        /^access_list\[0\]\.storage_keys: has 60000/,
      ],
      ['POST', sendPath, `{"data":[${'1e30,'.repeat(5_000)}1e30]}`, /^body: holds more than 5000 numbers/],
      ['POST', sendPath, `{${unknown}}`, /^k0: is not accepted here/],
      ['PATCH', '/api/v1/relayers/mine', `{"policies":{${unknown}}}`, /^policies\.k0: is not accepted here/],
      [
        'PATCH',
        '/api/v1/relayers/mine',
        `{"policies":{"whitelist_receivers":["${'x","'.repeat(30_000)}"]}}`,
        /and 29991 more of them$/,
      ],
      ['POST', '/api/v1/signers', `{"type":"vault","config":{${unknown}}}`, /^body: is larger/],
    ] as const
    for (const [method, path, body, message] of refusals) {
      const answer = await ask(method, path, { headers: json, body })
      expect(answer.body.message).toMatch(message)
      expect(answer.text.length).toBeLessThan(5_000)
    }
  },
)

async function posted({ ask }: Target, body: string, headers: Readonly<Record<string, string>> = json) {
  const { status, headers: reported, body: said } = await ask('POST', sendPath, { headers, body })
  return {
    status,
    code: reported['relayer-error-code'],
    message: said?.message as string | undefined,
    data: said?.data,
  }
}

attack(21, 'arrays and objects a hundred thousand deep', async (target) => {
  const depth = 100_000
  const nests = [
    '['.repeat(depth) + ']'.repeat(depth),
    `{"to":${'['.repeat(depth)}${']'.repeat(depth)},"value":"1"}`,
    `{"value":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`,
    `{"value":1e30,"to":${'['.repeat(depth)}1e30${']'.repeat(depth)}}`,
    `{"${'x'.repeat(50)}":${'['.repeat(depth)}`,
  ]
  for (const nest of nests) expect((await posted(target, nest)).status).toBe(400)
})

attack(22, 'members that would change every object', async (target) => {
  const polluted = [
    '{"__proto__":{"polluted":true},"value":"1"}',
    '{"constructor":{"prototype":{"polluted":true}},"value":"1"}',
    '{"value":"1","speed":{"__proto__":{"name":"fast"}}}',
    '{"value":"1","\\u005f\\u005fproto\\u005f\\u005f":{"polluted":true}}',
    `{"value":1e30,"__proto__":{"to":"${receiver}"}}`,
  ]
  for (const body of polluted) expect((await posted(target, body)).status).toBe(400)
  const { data } = await posted(target, JSON.stringify(payment))
  expect(data).not.toHaveProperty('polluted')
  return 1
})

attack(23, 'the same member twice: the checked value is the stored one', async (target) => {
  const other = '0x00000000000000000000000000000000000000aa'
  const { data } = await posted(
    target,
    `{"to":"${other}","value":"1","gas_limit":21000,"to":"${receiver}","value":"2"}`,
  )
  expect(data).toMatchObject({ to: receiver, value: '2' })
  expect(await target.stage.client.get('mine', data.id)).toMatchObject({ to: receiver, value: '2' })
  expect((await posted(target, `{"to":"${receiver}","value":"1","value":"-1"}`)).status).toBe(400)
  return 1
})

attack(
  24,
  'amounts that are not valid: negative, fractions, malformed hex, blanks, digits of other scripts, too many digits',
  async (target) => {
    const none = [
      '-1',
      '-0.0000001',
      '1.5',
      ...['"0x"', '"0X10"', '" 0x10"', '"0x1g"', `"0x${'0'.repeat(65)}"`],
      '"1e18"',
      '" 1"',
      '"1 "',
      '"+1"',
      '"-0"',
      '"１２"',
      '"١"',
      '"1_000"',
      '"NaN"',
      '"Infinity"',
      '""',
      'true',
      '[1]',
      '{"value":1}',
      'null',
      '1e999',
      `"${'9'.repeat(200_000)}"`,
      '9'.repeat(200_000),
      `1${'0'.repeat(78)}`,
      `9007199254740993.${'0'.repeat(200_000)}1`,
      `9007199254740993.${'01'.repeat(100_000)}`,
    ]
    for (const literal of none) {
      const { status, message = '' } = await posted(target, `{"to":"${receiver}","value":${literal}}`)
      expect([literal.slice(0, 20), status, message.length < 200]).toEqual([literal.slice(0, 20), 400, true])
    }
    for (const literal of ['NaN', 'Infinity', '01', '0x10', '.5', '1.', '+1', "'1'"]) {
      expect((await posted(target, `{"to":"${receiver}","value":${literal}}`)).code).toBe('MALFORMED_JSON')
    }
  },
)

attack(25, 'compressed bodies, and a bomb among them', async ({ raw, key, stage }) => {
  const bomb = gzipSync(Buffer.alloc(100_000_000, ' '))
  const fair = gzipSync(JSON.stringify(payment))
  for (const packed of [bomb, fair]) {
    for (const encoding of ['gzip', 'x-gzip', 'br', 'deflate', 'gzip, gzip']) {
      const head = `POST ${sendPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${packed.length}\r\n\r\n`
      expect([400, 413, 415]).toContain(parse(await raw(Buffer.concat([Buffer.from(head), packed]))).status)
    }
  }
  expect((await stage.client.request('GET', '/health')).status).toBe(200)
})

attack(26, 'text that is no UTF-8, has a mark before it, or is in another encoding', async ({ raw, key }) => {
  const body = JSON.stringify(payment)
  const spoiled = [
    Buffer.from(body, 'utf16le'),
    Buffer.from([0xff, 0xfe, ...Buffer.from(body)]),
    Buffer.from(body.replace('"1"', '"\u00e9"'), 'latin1'),
    Buffer.from([...Buffer.from(body), 0]),
  ]
  for (const bytes of spoiled) {
    const head = `POST ${sendPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json; charset=utf-16\r\nContent-Length: ${bytes.length}\r\n\r\n`
    expect(parse(await raw(Buffer.concat([Buffer.from(head), bytes]))).status).toBe(400)
  }
})

attack(27, 'NUL, half characters and look-alikes in texts', async (target) => {
  for (const extra of [
    '"data":"0x\\u0000"',
    '"data":"0x00\\n"',
    '"data":"0x\\ud800"',
    '"to":"0\\u0445a0Ee7A142d267C1f36714E4a8F75612F20a79720"',
    '"speed":"fast\\u0000"',
    '"speed":"ＦＡＳＴ"',
    '"valid_until":"2999-01-01T00:00:00Z\\u0000"',
  ]) {
    const to = extra.includes('"to"') ? '' : `"to":"${receiver}",`
    expect([extra, (await posted(target, `{${to}"value":"1",${extra}}`)).status]).toEqual([extra, 400])
  }
  const { rows, ask } = target
  const before = rows('api_keys')
  for (const name of ['a\u0000b', 'a\nb', '\u001b[31m', '']) {
    expect(
      (await ask('POST', '/api/v1/api-keys', { headers: json, body: JSON.stringify({ name, scopes: ['read'] }) }))
        .status,
    ).toBe(400)
  }
  expect(rows('api_keys')).toBe(before)
})

attack(28, 'a hundred thousand members, or keys that are very long', async (target) => {
  const many = `{${Array.from({ length: 20_000 }, (_, each) => `"k${each}":1`).join(',')}}`
  expect((await posted(target, many)).status).toBe(400)
  const { status, message = '' } = await posted(target, `{"${'k'.repeat(200_000)}":1,"to":"${receiver}","value":"1"}`)
  expect([status, message.length < 500]).toEqual([400, true])
  expect((await posted(target, JSON.stringify({ ...payment, data: `0x${'0'.repeat(250_001)}` }))).status).toBe(400)
})
