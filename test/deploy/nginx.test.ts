// The configurations of nginx: alike where both say something, within the service's limits, and followed with a real nginx.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBodyBytesMax, heartbeatMs, signerBodyBytesMax, waitSecondsMax } from '../../src/http/limits.ts'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { freePort } from '../../tooling/free-port.ts'
import { certificateAuthority } from '../../tooling/key-services/certificate.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { read } from './shipped.ts'

const files = ['deploy/nginx.conf', 'deploy/nginx-tls.conf'] as const
const program = '/usr/sbin/nginx'

function directivesOf(file: string): ReadonlyMap<string, string> {
  const conf = read(file).replaceAll(/#.*$/gm, '')
  return new Map([...conf.matchAll(/^\s*(\w+) ([^;{}]+);/gm)].map(([, name = '', value = '']) => [name, value]))
}

test('both set the same for what goes through, and send streams unbuffered', () => {
  const shared = (file: string) =>
    [...directivesOf(file)].filter(([name]) => /^(?:proxy_(?!next)|client_(?!body_temp)|keepalive)/.test(name))
  expect(shared(files[1])).toEqual(shared(files[0]).filter(([name]) => !name.endsWith('_temp_path')))
  for (const file of files) {
    const unbuffered = [...read(file).matchAll(/location = (\S+) \{[^}]*proxy_buffering off;/g)].map(([, path]) => path)
    expect(unbuffered).toEqual(['/api/v1/events', '/dashboard/api/v1/events'])
    expect(read(file)).toContain('proxy_set_header X-Forwarded-For $remote_addr;')
    expect(read(file)).not.toContain('8081')
  }
})

test.each(files)('%s fits the limits of the service', (file) => {
  const set = directivesOf(file)
  const seconds = (name: string) => Number(/^(\d+)s$/.exec(set.get(name) ?? '')?.[1])
  expect(seconds('proxy_read_timeout')).toBeGreaterThan(waitSecondsMax + 10)
  expect(seconds('proxy_read_timeout')).toBeGreaterThan((2 * heartbeatMs) / 1000)
  expect(seconds('keepalive_timeout')).toBeLessThan(72)
  expect(Number(set.get('client_max_body_size')?.replace('m', '')) * 1024 ** 2).toBeGreaterThan(batchBodyBytesMax)
  expect(Number(set.get('client_body_buffer_size')?.replace('k', '')) * 1024).toBeGreaterThan(signerBodyBytesMax)
})

describe.skipIf(isSkipped(!existsSync(program)))(`with a real nginx (skipped without ${program})`, () => {
  let stage: Stage<Anvil>
  let folder: string
  let url: string
  let agent: Agent
  let stop: () => Promise<void>

  beforeAll(async () => {
    const env = { TRUSTED_PROXIES: '127.0.0.1' }
    stage = await anvilStage({ relayers: { local: {} }, service: { env } })
    folder = await mkdtemp(join(tmpdir(), 'rescind-nginx-'))
    const port = await freePort()
    const authority = certificateAuthority()
    const { key, cert } = authority.issue('localhost')
    await writeFile(join(folder, 'rescind.key'), key, { mode: 0o600 })
    await writeFile(join(folder, 'rescind.pem'), cert)
    const site = read('deploy/nginx-tls.conf')
      .replace('127.0.0.1:8080', new URL(stage.service.url).host)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace(/^ *listen \[::\]:443 ssl;\n/m, '')
      .replaceAll('/etc/nginx/', `${folder}/`)
    expect(await nginx(within(site))).toContain('test is successful')
    const child = spawn(program, ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], { stdio: 'ignore' })
    stop = async () => {
      child.kill('SIGQUIT')
      await once(child, 'exit')
    }
    url = `https://localhost:${port}`
    agent = new Agent({ connect: { ca: authority.cert } })
    await until(async () => (await ask('/api/v1/ready').catch(() => undefined))?.status === 200, { what: 'nginx' })
  })
  afterAll(async () => {
    await agent?.close()
    await stop?.()
    await stage?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  /** The site in a configuration that writes to the folder alone. */
  function within(site: string): string {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')
    // Its workers would give up root, and with it the folder.
    const user = process.getuid?.() === 0 ? 'user root;\n' : ''
    return `${user}pid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${site}}\n`
  }

  async function nginx(conf: string): Promise<string> {
    const file = join(folder, 'nginx.conf')
    await writeFile(file, conf)
    const { stderr } = await promisify(execFile)(program, ['-t', '-c', file])
    return stderr
  }

  async function ask(path: string, options: { headers?: Record<string, string>; body?: string } = {}) {
    const { body, headers = {} } = options
    const authorization = `Bearer ${stage.service.apiKey}`
    const answer = await request(`${url}${path}`, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  }

  test('the replicas’ file is one that nginx takes, without the names of the containers', async () => {
    const conf = read('deploy/nginx.conf')
      .replaceAll(/server rescind-\d:8080 resolve/g, 'server 127.0.0.1:1')
      .replaceAll(/ \/(?:tmp|dev)\//g, ` ${folder}/`)
    const file = join(folder, 'replicas.conf')
    await writeFile(file, conf)
    expect((await promisify(execFile)(program, ['-t', '-c', file])).stderr).toContain('test is successful')
  })

  test('it answers over TLS, and shows no metrics', async () => {
    const ready = await ask('/api/v1/ready')
    expect([ready.status, ready.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
    expect((await ask('/metrics')).status).toBe(404)
  })

  test('an event of the stream comes at once', async () => {
    const stream = await request(`${url}/api/v1/events`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${stage.service.apiKey}` },
    })
    const send = JSON.stringify({ to: `0x${'1'.repeat(40)}`, value: '1', speed: 'fast' })
    expect((await ask('/api/v1/relayers/local/transactions', { body: send })).status).toBe(200)
    let seen = ''
    for await (const part of stream.body) {
      seen += part
      if (seen.includes('transaction_update')) break
    }
    expect(seen).toContain('event: transaction_update')
  })

  test('a body that is too long gets the answer of the service', async () => {
    const refused = await ask('/api/v1/relayers/local/transactions/batch', { body: ' '.repeat(batchBodyBytesMax + 1) })
    expect([refused.status, refused.headers['relayer-error-code']]).toEqual([413, 'BODY_TOO_LARGE'])
  })

  test('the address of a refusal is that of the client, and none that it claims', async () => {
    const headers = { authorization: `Bearer ${'x'.repeat(32)}`, 'x-forwarded-for': '203.0.113.7' }
    expect((await ask('/api/v1/relayers', { headers })).status).toBe(401)
    const refusals = async () => {
      const { data } = JSON.parse((await ask('/api/v1/audit-log?per_page=100')).text)
      return data.filter(({ code }: { code?: string }) => code === 'UNAUTHORIZED')
    }
    await until(async () => (await refusals()).length > 0, { what: 'the refusal' })
    expect(await refusals()).toMatchObject([{ address: '127.0.0.1' }])
  })

  test('the dashboard signs in, with a cookie for HTTPS', async () => {
    const body = JSON.stringify({ key: stage.service.apiKey })
    const signedIn = await ask('/dashboard/api/session', { body, headers: { origin: url } })
    expect([signedIn.status, signedIn.headers['set-cookie']]).toEqual([
      200,
      expect.stringMatching(/^__Host-.*; Secure/),
    ])
  })
})
