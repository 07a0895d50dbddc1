// Headers of endpoints in the file: values from the file or from variables, secret either way, and which are refused.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { env, loadFile, refusal, rightFile } from './workplace.ts'

const hidden = 'S3CRET-that-must-not-show'
const url = 'https://rpc.example'

function fileWith(endpoint: object) {
  const file = rightFile()
  file.networks[0] = { ...file.networks[0], rpc_urls: [endpoint] }
  return file
}

test('a value is a text, or a reference to a variable; names are in lower case', async () => {
  const headers = {
    'X-Api-Key': { type: 'env', value: 'NODE_KEY' },
    Authorization: `Bearer ${hidden}`,
    'x-plan': { type: 'plain', value: 'a b\tc' },
  }
  const file = fileWith({ url, weight: 7, headers })
  const { networks, warnings } = await loadFile(file, { ...env, NODE_KEY: `${hidden}-2` })
  const [endpoint] = networks[0]?.rpcUrls ?? []
  const revealed = Object.entries(endpoint?.headers ?? {}).map(([name, value]) => [name, value.reveal()])
  expect(endpoint?.weight).toBe(7)
  expect(revealed).toEqual([
    ['x-api-key', `${hidden}-2`],
    ['authorization', `Bearer ${hidden}`],
    ['x-plan', 'a b\tc'],
  ])
  // Of "plain", as everywhere.
  expect(warnings).toEqual([expect.stringMatching(/rpc_urls\[0\]\.headers\.x-plan: the secret stands in the file/)])
  for (const shown of [inspect(networks, { depth: null, showHidden: true }), JSON.stringify(endpoint)]) {
    expect(shown).toContain('x-api-key')
    expect(shown).not.toContain(hidden)
  }
})

test('the endpoints that a relayer has for its network may have headers, too', async () => {
  const file = rightFile()
  file.relayers[0] = { ...file.relayers[0], custom_rpc_urls: [{ url, headers: { 'x-api-key': hidden } }] }
  const { networks } = await loadFile(file)
  expect(networks[0]?.rpcUrls[0]?.headers?.['x-api-key']?.reveal()).toBe(hidden)
})

const seventeen = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`x-${index}`, hidden]))

test.each<[string, unknown, RegExp]>([
  ['a list', [hidden], /rpc_urls\[0\]\.headers: is a list; write \{ "x-api-key"/],
  ['a text', hidden, /rpc_urls\[0\]\.headers: is a text; write \{ "x-api-key"/],
  ['null', { 'x-key': null }, /headers\.x-key: is missing; write \{ "type": "env"/],
  ['a number', { 'x-key': 5 }, /headers\.x-key: is a number \(not shown: .*"type": "env"/],
  ['an empty value', { 'x-key': '' }, /headers\.x-key: is empty, begins or ends with a space, or is not ASCII/],
  [
    'a line end',
    { 'x-key': `${hidden}\r\nhost: evil` },
    /headers\.x-key: is empty, begins or ends with a space, or is/,
  ],
  ['a space at the end', { 'x-key': `${hidden} ` }, /headers\.x-key: is empty, begins or ends with a space/],
  ['an umlaut', { 'x-key': `${hidden}ü` }, /headers\.x-key: is empty, .* or is not ASCII/],
  ['a long value', { 'x-key': hidden.repeat(400) }, /headers\.x-key: is longer than 4096 characters; shorten it/],
  [
    'a name with a space',
    { [hidden.replaceAll('-', ' ')]: 'x' },
    /headers: holds a name that no header has \(not shown/,
  ],
  ['no variable', { 'x-key': { type: 'env', value: 'NOPE' } }, /headers\.x-key: refers to the variable NOPE, which is/],
  [
    'a variable that is no text for a header',
    { 'x-key': { type: 'env', value: 'LINES' } },
    /headers\.x-key: is empty, b/,
  ],
  ['content-type', { 'Content-Type': 'x' }, /headers\.Content-Type: is set by the service for each request; remove it/],
  ['host', { host: hidden }, /headers\.host: is set by the service for each request; remove it/],
  ['content-length', { 'content-length': '1' }, /headers\.content-length: is set by the service/],
  ['connection', { connection: 'close' }, /headers\.connection: is set by the service/],
  ['transfer-encoding', { 'transfer-encoding': 'chunked' }, /headers\.transfer-encoding: is set by the service/],
  ['one name twice', { 'x-key': hidden, 'X-Key': hidden }, /headers\.X-Key: is there twice, as upper and lower case/],
  ['too many', seventeen, /rpc_urls\[0\]\.headers: has 17 headers; 16 at most/],
])('%s is refused, and no value is shown', async (_, headers, message) => {
  const error = await refusal(loadFile(fileWith({ url, headers }), { ...env, LINES: `${hidden}\n${hidden}` }))
  expect(error.problems).toHaveLength(1)
  expect(error.message).toMatch(message)
  expect(inspect(error)).not.toContain(hidden)
  expect(inspect(error)).not.toContain('S3CRET')
})

test.each(['ws://rpc.example/', 'wss://rpc.example/', 'WSS://rpc.example/'])(
  '%s is refused with the fix',
  async (ws) => {
    const named = await refusal(loadFile(fileWith({ url: `${ws}${hidden}` })))
    const byVariable = { type: 'env', value: 'NODE_URL' }
    const referred = await refusal(loadFile(fileWith(byVariable), { ...env, NODE_URL: `${ws}${hidden}` }))
    for (const error of [named, referred]) {
      expect(error.problems).toEqual([
        {
          place: 'networks[0].rpc_urls[0]',
          message:
            'is a WebSocket URL (not shown: it may hold a key); write the http or https URL of the same provider',
        },
      ])
    }
  },
)
