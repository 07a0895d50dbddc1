// Attacks that would make the service call, sign or store something that it must not.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { until } from '../../tooling/client.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import { attack, json, type Target, underAttack } from './support/attack.ts'

/** Loopback has many addresses: this one is allowed, and so stands for a receiver outside. */
const outside = '127.0.0.2'
underAttack({
  WEBHOOK_ALLOWED_HOSTS: outside,
  STORAGE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
})

attack(
  51,
  'webhooks to this machine, its neighbors, and the metadata of a cloud, in every spelling',
  async (target) => {
    await using inside = await listening('127.0.0.1')
    const { port } = inside
    const spellings = [
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '0',
      '0.0.0.0',
      'localhost',
      'LOCALHOST.',
      // Of Debian's list of hosts.
      'ip6-localhost',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:7f00:0001]',
      '127.0.0.1.',
      '①②⑦.⓪.⓪.①',
      '127。0。0。1',
      'user:pass@127.0.0.1',
      '127.0.0.1%2523@127.0.0.1',
      '169.254.169.254',
      '[fe80::1]',
      '[fd00::1]',
      '10.0.0.1',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      // Azure's wire server.
      ...['168.63.129.16', '2822734096', '0xa83f8110', '0250.077.0201.020', '168.63.33040', '168.63.129.16.'],
      ...['[::ffff:168.63.129.16]', '[::ffff:a83f:8110]', '[64:ff9b::a83f:8110]', '[2002:a83f:8110::]'],
      ...['①⑥⑧.⑥③.①②⑨.①⑥', 'user:pass@168.63.129.16', '[2606:4700::5efe:a83f:8110]'],
      // Alibaba, Oracle, AWS and Google over IPv6.
      ...['100.100.100.200', '192.0.0.192', '[fd00:ec2::254]', '[fd20:ce::254]'],
    ]
    let [stored, refused] = [0, 0]
    for (const [number, host] of spellings.entries()) {
      const id = `inside-${number}`
      const made = await created(target, 'notifications', { id, type: 'webhook', url: `http://${host}:${port}/` })
      if (made.status !== 200) {
        expect([host, made.status]).toEqual([host, 400])
        refused += /^url: its host is an internal address/.test(made.body.message) ? 1 : 0
        continue
      }
      await notifying(target, id)
      await target.send()
      stored += 1
      // So that the next one finds a nonce free.
      await target.stage.node.mine()
      expect(await failureOf(target, id), host).toMatch(
        /^refused: its host (is|resolves to) an internal address|^no exchange \(ENOTFOUND|^no exchange \(EAI_AGAIN/,
      )
    }
    expect(inside.requests).toEqual([])
    expect(refused).toBeGreaterThan(37)
    // A name that is looked up when it is delivered to.
    expect(stored).toBeGreaterThan(0)
    return stored
  },
)

attack(52, 'a webhook that leads to an internal address by a redirect', async (target) => {
  await using inside = await listening('127.0.0.1')
  await using leading = await listening(outside, { location: `http://127.0.0.1:${inside.port}/`, status: 307 })
  await created(target, 'notifications', { id: 'leading', type: 'webhook', url: `http://${outside}:${leading.port}/` })
  await notifying(target, 'leading')
  await target.send()
  expect(await failureOf(target, 'leading')).toBe('HTTP 307: redirects are not followed')
  expect(leading.requests.length).toBeGreaterThan(0)
  expect(inside.requests).toEqual([])
  return 1
})

attack(53, 'URLs that are not web addresses, for webhooks and for nodes', async (target) => {
  const urls = [
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'ftp://s3cr3t@host/',
    'data:,s3cr3t',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    'ws://host/',
    '//host/',
    'http://',
    'http://s3cr3t host/',
    '',
    ' ',
  ]
  for (const url of urls) {
    const webhook = await created(target, 'notifications', { type: 'webhook', url })
    const network = await target.ask('PATCH', '/api/v1/networks/evm:localhost', {
      headers: json,
      body: JSON.stringify({ rpc_urls: [url] }),
    })
    for (const { status, text } of [webhook, network]) {
      expect([url, status >= 400 && status < 500]).toEqual([url, true])
      expect(text).not.toContain('s3cr3t')
    }
  }
  expect((await target.ask('GET', '/api/v1/relayers/mine/status')).status).toBe(200)
})

attack(54, 'headers of your own, by line ends in the URL of a webhook and its signing key', async (target) => {
  await using receiver = await listening(outside)
  const url = `http://a%0d%0aX-Evil:%20b:c%0d%0ad@${outside}:${receiver.port}/x%0d%0aX-Evil:%20y?z=%0d%0a#%0d%0a`
  await created(target, 'notifications', {
    id: 'crooked',
    type: 'webhook',
    url,
    signing_key: `${'k'.repeat(32)}\r\nX-Evil: z`,
  })
  await notifying(target, 'crooked')
  await target.send()
  await until(() => receiver.requests.length > 0, { what: 'a webhook' })
  for (const { headers, url: requested } of receiver.requests) {
    expect(headers).not.toHaveProperty('x-evil')
    expect(requested).toBe('/x%0d%0aX-Evil:%20y?z=%0d%0a')
  }
  return 1
})

attack(55, 'reads of the chain that send, sign or steer: by name, in disguise, in a batch', async ({ ask, stage }) => {
  const before = await Promise.all(['eth_blockNumber', 'eth_gasPrice'].map((method) => stage.node.rpc(method)))
  const methods = [
    'eth_sendRawTransaction',
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTransaction',
    'eth_accounts',
    'personal_unlockAccount',
    'evm_mine',
    'anvil_mine',
    'anvil_setBalance',
    'anvil_impersonateAccount',
    'hardhat_setCode',
    'debug_traceTransaction',
    'admin_peers',
    'txpool_content',
    'miner_stop',
    'eth_newFilter',
    'eth_subscribe',
    'ETH_SENDRAWTRANSACTION',
    ' eth_call',
    'eth_call ',
    'eth_call\u0000',
    'eth\u200b_call',
    '__proto__',
    'constructor',
    'toString',
    '',
  ]
  for (const method of methods) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: ['0x00', '0x01'] })
    const answer = await ask('POST', '/api/v1/relayers/mine/rpc', { headers: json, body })
    expect([method, answer.status === 200 ? answer.body.error.description : answer.status]).toEqual([
      method,
      answer.status === 200 ? 'No node received the request.' : 400,
    ])
  }
  const batch = JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }])
  expect((await ask('POST', '/api/v1/relayers/mine/rpc', { headers: json, body: batch })).status).toBe(400)
  const hidden = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[],"method":"evm_mine"}'
  expect((await ask('POST', '/api/v1/relayers/mine/rpc', { headers: json, body: hidden })).body.error.description).toBe(
    'No node received the request.',
  )
  expect(await Promise.all(['eth_blockNumber', 'eth_gasPrice'].map((method) => stage.node.rpc(method)))).toEqual(before)
})

attack(
  56,
  'keys that were given through the API: in answers, in mistakes about them, in the database',
  async (target) => {
    const { ask, stage } = target
    const secrets = {
      key: `${'c0ffee'.repeat(10)}1234`,
      signingKey: 'a-signing-key-that-nobody-may-ever-see',
      url: 's3cr3t-path',
    }
    const reported = [
      await created(target, 'signers', { id: 'kept', type: 'plain', config: { key: secrets.key } }),
      await created(target, 'signers', { id: 'wrong', type: 'plain', config: { key: `${secrets.key}zz` } }),
      await created(target, 'signers', { id: 'wrong', type: 'plain', config: { secret: secrets.key } }),
      await created(target, 'signers', { id: 'wrong', type: 'plain', config: secrets.key }),
      await created(target, 'signers', { id: 'wrong', type: 'plain', config: {}, [secrets.key]: 1 }),
      await created(target, 'notifications', {
        id: 'kept',
        type: 'webhook',
        url: `https://hooks.example/${secrets.url}`,
        signing_key: secrets.signingKey,
      }),
      await created(target, 'notifications', {
        id: 'wrong',
        type: 'webhook',
        url: 'https://hooks.example',
        signing_key: [secrets.signingKey],
      }),
      ...(await Promise.all(
        ['/signers', '/signers/kept', '/notifications', '/notifications/kept', '/networks', '/relayers'].map((path) =>
          ask('GET', `/api/v1${path}`),
        ),
      )),
    ]
    expect(reported.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(8)
    const words = reported.map(({ text }) => text).join('\n') + stage.service.logs()
    const bytes = databaseIn(stage.service.directory).bytes()
    const needles = [...Object.values(secrets).map((secret) => Buffer.from(secret)), Buffer.from(secrets.key, 'hex')]
    expect(needles.filter((needle) => words.includes(needle.toString()))).toEqual([])
    expect(bytes.length).toBeGreaterThan(0)
    expect(needles.filter((needle) => bytes.some((part) => part.includes(needle)))).toEqual([])
  },
)

attack(57, 'a second relayer on the account or with the id of an existing one', async (target) => {
  const { stage } = target
  const key = stage.node.accounts[0]?.key.slice(2)
  await created(target, 'signers', { id: 'twin', type: 'plain', config: { key } })
  const relayer = { name: 'x', network: 'localhost', network_type: 'evm', paused: false }
  for (const requested of [
    { ...relayer, id: 'twin', signer_id: 'twin' },
    { ...relayer, id: 'mine', signer_id: 'twin' },
    { ...relayer, id: 'twin', signer_id: 'signer-mine' },
  ]) {
    expect((await created(target, 'relayers', requested)).status).toBeGreaterThanOrEqual(400)
  }
  expect((await target.ask('DELETE', '/api/v1/signers/signer-mine')).status).toBeGreaterThanOrEqual(400)
  expect((await target.ask('DELETE', '/api/v1/relayers/mine')).status).toBeGreaterThanOrEqual(400)
})

attack(58, 'ids that are paths, words of the API, or members of every object', async (target) => {
  for (const id of [
    '../mine',
    'a/b',
    '..',
    '.',
    '%2e',
    'a b',
    'a\u0000',
    'a\nb',
    '',
    'x'.repeat(200),
    '<b>',
    'a;b',
    'é',
  ]) {
    for (const kind of ['relayers', 'signers', 'notifications']) {
      const body = {
        id,
        name: 'x',
        network: 'localhost',
        network_type: 'evm',
        signer_id: 'signer-mine',
        type: 'webhook',
        url: 'https://hooks.example',
      }
      expect([id, kind, (await created(target, kind, body)).status]).toEqual([id, kind, 400])
    }
  }
  const proto = await created(target, 'notifications', {
    id: '__proto__',
    type: 'webhook',
    url: 'https://hooks.example',
  })
  const listed = await target.ask('GET', '/api/v1/notifications/constructor')
  expect([proto.status, listed.status]).toEqual([expect.any(Number), 404])
  expect(proto.status).toBeLessThan(500)
})

attack(
  60,
  "key services of one's own: their paths, headers, files and answers, and the size of settings",
  async (target) => {
    const answer = '{"errors":["s3cr3t"],"error":{"code":"s3cr3t"}}'
    await using service = await listening('127.0.0.1', { status: 418, body: answer })
    const at = `http://127.0.0.1:${service.port}`
    const vault = { address: at, token: 's3cr3t-token', key_name: 'k' }
    const publicKey = '0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
    const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, each) => [`k${each}`, 1]))
    const tls = { ca_file: '/etc/hostname' }
    const given: readonly (readonly [type: string, config: object, refusal: RegExp])[] = [
      ['vault', { ...vault, key_name: '%2e%2e/%2e%2e', mount_point: '%2e%2e' }, /HTTP 418/],
      ['vault', { ...vault, token: 's3cr3t\r\nX-Evil: 1' }, /^config\.token: .*is not ASCII/],
      ['vault', { ...vault, namespace: 's3cr3t\nX-Evil: 1' }, /^config\.namespace: .*is not ASCII/],
      ['vault', { ...vault, key_name: '../k' }, /^config\.key_name: /],
      ['vault', { address: at, key_name: 'k', kubernetes_role: 'r' }, /^config\.kubernetes_role: would send a token/],
      ['vault', { ...vault, token: { type: 'env', value: 'API_KEY' } }, /^config\.token: is an object/],
      [
        'azure_key_vault',
        { auth_type: 'managed_identity', vault_url: 'https://a.vault.azure.net.evil.example', key_name: 'k' },
        /^config\.vault_url: would send a token of this machine elsewhere/,
      ],
      ['vault', members, /and \d+ more of them$/],
      ['web3signer', { url: `${at}/`, public_key: publicKey }, /HTTP 418/],
      ['web3signer', { url: at, public_key: publicKey, tls }, /^config\.tls\.ca_file: names a file/],
      ['aws_kms', { region: 'r'.repeat(5_000), key_id: 'k' }, /^config\.region: is "r{60}…"/],
      ['pkcs11', { module: '/tmp/x.so', token_label: 't', key_label: 'k', pin: 's3cr3t' }, /^config\.module: /],
    ]
    const heard = target.listen()
    for (const [type, config, refusal] of given) {
      const { status, body, text } = await created(target, 'signers', { type, config })
      expect([status, body.message]).toEqual([400, expect.stringMatching(refusal)])
      expect(text.length).toBeLessThan(5_000)
      expect(text).not.toContain('s3cr3t')
    }
    expect((await heard.read()).filter((line) => line.includes('s3cr3t'))).toEqual([])
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/v1/%252e%252e/data/%252e%252e/%252e%252e',
      '/api/v1/eth1/publicKeys',
    ])
  },
)

function created({ ask }: Target, kind: string, body: object) {
  return ask('POST', `/api/v1/${kind}`, { headers: json, body: JSON.stringify(body) })
}

async function notifying({ ask }: Target, notification: string): Promise<void> {
  const answer = await ask('PATCH', '/api/v1/relayers/mine', {
    headers: json,
    body: JSON.stringify({ notification_id: notification }),
  })
  expect(answer.status, answer.text).toBe(200)
}

/** Why the first delivery to a notification failed. */
function failureOf({ stage }: Target, notification: string): Promise<string> {
  return until(
    () => {
      const [row] = databaseIn(stage.service.directory).read<{ last_error: string }>(
        'SELECT last_error FROM deliveries WHERE notification_id = ? AND last_error IS NOT NULL',
        notification,
      )
      return row?.last_error
    },
    { what: `a delivery to ${notification} to fail` },
  )
}

interface Listening extends AsyncDisposable {
  readonly port: number
  readonly requests: readonly IncomingMessage[]
}

/** Records each request. */
async function listening(
  host: string,
  answer: { status: number; location?: string; body?: string } = { status: 200 },
): Promise<Listening> {
  const requests: IncomingMessage[] = []
  const server: Server = createServer((request, response) => {
    requests.push(request)
    const { status, location, body } = answer
    response.writeHead(status, location === undefined ? {} : { location }).end(body)
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
