// What every attack is held to: whatever it tried, the rows, the account, the log and the process are as they must be.

import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../../tooling/anvil.ts'
import { type Answer, until } from '../../../tooling/client.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { databaseIn } from '../../../tooling/tested-database.ts'
import { anvilStage, type Stage } from '../../e2e/support/stage.ts'
import { linesFrom, placeIn } from './log-lines.ts'

export interface Target {
  readonly stage: Stage<Anvil>
  readonly url: string
  /** The administrator's. */
  readonly key: string
  /** Bytes to the port, and the bytes that come back until the server closes, or `patienceMs` long. */
  raw(bytes: string | Buffer, patienceMs?: number): Promise<string>
  ask(method: string, path: string, asking?: Asking): Promise<Reply>
  /** A key of the given rights. */
  keyWith(rights: { scopes: readonly string[]; relayers?: readonly string[] }): Promise<{ id: string; key: string }>
  send(relayer?: string): Promise<string>
  /** All that the log says from now on until `read`, which waits for what it says about requests that were answered by then. */
  listen(): { read(): Promise<readonly string[]> }
  rows(table: string): number
}

interface Asking {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Reply extends Omit<Answer, 'body'> {
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: an attack may be answered anything
  readonly body: any
}

export const receiver = devAccount(9).address
export const payment = { to: receiver, value: '1', gas_limit: 21_000 }
export const json = { 'content-type': 'application/json' }
export const sendPath = '/api/v1/relayers/mine/transactions'

let target: Target | undefined

/** One service for a file of attacks, with two relayers, its log at its most talkative. */
export function underAttack(env: Readonly<Record<string, string>> = {}): void {
  let stage: Stage<Anvil>
  beforeAll(async () => {
    stage = await anvilStage({
      relayers: { mine: {}, theirs: {} },
      service: { env: { LOG_LEVEL: 'debug', ...env } },
    })
    target = targetOf(stage)
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())
}

/**
 * A numbered attack: docs/security.md lists it under its number and name. It answers how many transactions it may have stored;
 * none unless it says so.
 */
export function attack(
  number: number,
  name: string,
  attempt: (target: Target) => Promise<number | undefined> | Promise<void>,
): void {
  test(`${number}. ${name}`, { timeout: 120_000 }, async () => {
    if (!target) throw new Error('say underAttack() at the top of the file')
    const before = stateOf(target)
    const heard = target.listen()
    const stored = (await attempt(target)) ?? 0
    const after = stateOf(target)
    expect(after).toEqual({ ...before, transactions: before.transactions + stored })
    await expectUnharmed(target, await heard.read())
  })
}

function stateOf({ rows, stage }: Target) {
  return { transactions: rows('transactions'), relayers: rows('relayers'), pid: stage.service.pid }
}

async function expectUnharmed({ ask, key, stage }: Target, lines: readonly string[]): Promise<void> {
  expect((await ask('GET', '/api/v1/ready', { key: null })).status).toBe(200)
  expect((await ask('GET', '/api/v1/relayers')).body.data.map(({ id }: { id: string }) => id)).toEqual([
    'mine',
    'theirs',
  ])
  for (const line of lines) {
    // Each line is one JSON object: nothing that came in began a line of its own, or speaks to a terminal.
    const { level } = JSON.parse(line) as { level: string }
    expect(['debug', 'info', 'warn'], line.slice(0, 2000)).toContain(level)
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\u202a-\u202e\u2066-\u2069]/u)
  }
  const secrets = [key, ...stage.node.accounts.map((account) => account.key.slice(2))]
  expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
}

function targetOf(stage: Stage<Anvil>): Target {
  const { service } = stage
  const port = Number(new URL(service.url).port)
  const key = service.apiKey
  let lastRead = 0

  const ask: Target['ask'] = async (method, path, asking = {}) => {
    const { key: token = key, headers = {}, body } = asking
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
      ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    return parse(await exchange(port, `${head.join('\r\n')}\r\n\r\n${body ?? ''}`))
  }
  return {
    stage,
    url: service.url,
    key,
    raw: (bytes, patienceMs) => exchange(port, bytes, patienceMs),
    ask,
    keyWith: async (rights) => {
      const body = JSON.stringify({ name: 'of an attack', ...rights })
      const answer = await ask('POST', '/api/v1/api-keys', { headers: json, body })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data
    },
    listen() {
      const place = placeIn(service.logs())
      const lines = () => linesFrom(service.logs(), place)
      return {
        async read() {
          lastRead += 1
          const id = `read-${lastRead}`
          await ask('GET', '/api/v1/ready', { key: null, headers: { 'X-Request-Id': id } })
          await until(() => lines().some((line) => line.includes(`"request_id":"${id}"`)), {
            what: `the line of ${id}`,
          })
          return lines()
        },
      }
    },
    send: async (relayer = 'mine') => (await stage.client.send(relayer, payment)).id,
    rows: (table) =>
      databaseIn(service.directory).read<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]?.count ?? 0,
  }
}

function exchange(port: number, bytes: string | Buffer, patienceMs = 10_000): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const heard: Buffer[] = []
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.on('data', (chunk) => heard.push(chunk))
  socket.on('close', () => resolve(Buffer.concat(heard).toString()))
  socket.on('error', (error) => (heard.length > 0 ? undefined : reject(error)))
  return promise
}

/** One answer of a connection that was closed after it. */
export function parse(answer: string): Reply {
  const end = answer.indexOf('\r\n\r\n')
  const [status = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const raw = answer.slice(end + 4)
  const text = headers['transfer-encoding'] === 'chunked' ? unchunked(raw) : raw
  const isJson = headers['content-type']?.includes('json') && text !== ''
  return { status: Number(status.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : undefined }
}

function unchunked(raw: string): string {
  const [size = '', rest = ''] = [raw.slice(0, raw.indexOf('\r\n')), raw.slice(raw.indexOf('\r\n') + 2)]
  const length = Number.parseInt(size, 16)
  return length > 0 ? rest.slice(0, length) + unchunked(rest.slice(length + 2)) : ''
}

/** The statuses of the answers that one connection gave, in their order. */
export function statusesIn(answers: string): readonly number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
