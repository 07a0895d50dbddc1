// The commands of bulk cancellations, from the packed package, against the packed service and a real node.
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parseEther, toHex } from 'viem'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type Client, openClient, until } from '../../tooling/client.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { start } from './support/packed.ts'

const [to, other] = [devAccount(5).address, devAccount(6).address]
const main = join(inject('packed'), 'dist/main.js')
let anvil: Anvil
let service: Service
let client: Client
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-bulk-'))
  anvil = await startAnvil({ mining: 'manual' })
  service = await startService({
    main: [main, 'start'],
    networks: [{ name: 'local', rpcUrls: [anvil.url] }],
    relayers: ['one', 'two'].map((id, index) => ({ id, privateKey: devAccount(index).key })),
  })
  client = openClient(service.url, service.apiKey)
})
afterAll(async () => {
  await client?.close()
  await service?.[Symbol.asyncDispose]()
  await anvil?.stop()
  await rm(folder, { recursive: true, force: true })
})

const env = () => ({ API_KEY: service.apiKey, RESCIND_URL: service.url })
const running = (args: readonly string[], more: Readonly<Record<string, string>> = env()) =>
  start(main, args, { cwd: folder, env: more })
const rescind = (args: readonly string[], more?: Readonly<Record<string, string>>) => running(args, more).ended

async function submitted(relayer: string, receiver = to): Promise<string> {
  const { id } = await client.send(relayer, { to: receiver, value: '1', speed: 'fast' })
  await until(async () => (await client.get(relayer, id)).status === 'submitted', { what: 'submitted' })
  return id
}

const mineUntilEnd = (child: { readonly exitCode: number | null }) =>
  until(
    async () => {
      await anvil.mine()
      return child.exitCode !== null
    },
    { what: 'the end of the command', everyMs: 300, limitMs: 60_000 },
  )

const noOpInPool = (relayer: string, id: string) =>
  until(
    async () => {
      const found = (await client.attempts(relayer, id)).find(({ kind }) => kind === 'cancel')
      return found && (await anvil.rpc('eth_getTransactionByHash', [found.hash])) !== null && found
    },
    { what: 'a no-op in the pool' },
  )

/** A person at a terminal. */
async function inProcess(args: readonly string[], typed: string) {
  const written = { stdout: '', stderr: '' }
  const writer = (name: keyof typeof written) =>
    Object.assign(new PassThrough(), { isTTY: true }).on('data', (chunk) => {
      written[name] += chunk
    })
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  stdin.end(typed)
  const streams = { stdin, stdout: writer('stdout'), stderr: writer('stderr') }
  const stop = new AbortController().signal
  return { exit: await run(args, { ...streams, env: env(), directory: folder, stop }), ...written }
}

test('bulk create cancels what matches, after a question, and bulk watch ends with 0 once nothing can execute', async () => {
  const [taken, kept] = [await submitted('one'), await submitted('one', other)]
  const args = ['bulk', 'create', '-r', 'one', '--to', to, '--name', 'wrong receiver', '--reason', 'they wrote']
  const unanswered = await rescind(args)
  expect(unanswered).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /cancels +to 0x\w+\nas of +\S+Z\ntransactions +1\nfree +0\nno-ops +1\ncost +up to 0\.0[\s\S]*add --yes/,
    ),
  })
  const declined = await inProcess(args, 'n\n')
  expect(declined).toMatchObject({ exit: 1, stderr: expect.stringContaining('nothing was canceled') })
  expect((await client.get('one', taken)).status).toBe('submitted')

  const created = await inProcess(args, 'y\n')
  expect(created).toMatchObject({ exit: 5, stderr: expect.stringMatching(/idempotency key: [\w-]{36}\n/) })
  const id = created.stdout.trim()
  expect((await client.get('one', taken)).status).toBe('canceled')
  expect((await client.get('one', kept)).status).toBe('submitted')
  expect(await rescind(['bulk', 'watch', id, '--timeout', '1'])).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('undecided'),
  })

  await noOpInPool('one', taken)
  const watching = running(['bulk', 'watch', id])
  await until(() => watching.stdout() !== '', { what: 'the first line' })
  await mineUntilEnd(watching.child)
  const watched = await watching.ended
  expect(watched).toMatchObject({ exit: 0, stderr: '' })
  expect(watched.stdout).toMatch(
    /^1 canceled: 0 dropped, 1 racing[^\n]*1 not final\n[\s\S]*0 racing, 1 won[^\n]*final\n/,
  )
  expect(watched.stdout).toMatch(/\nname +wrong receiver\n[\s\S]*\ncost +0\.0\d+ ether\nsafe to retry +yes\n/)
  const lines = (await rescind(['bulk', 'watch', id, '--json'])).stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).final)).toEqual([true])

  const listed = await rescind(['bulk', 'list'])
  expect(listed.stdout).toMatch(new RegExp(`^ID .*\\n${id} +\\S+ +wrong receiver +1 +1 +0 +0 +0\\.0`))
  expect(JSON.parse((await rescind(['bulk', 'list', '--json'])).stdout)).toMatchObject([{ id, final: true }])
  const shown = await rescind(['bulk', 'show', id, '--transactions'])
  expect(shown).toMatchObject({ exit: 0, stderr: '' })
  expect(shown.stdout).toMatch(/\nRELAYER +STATE[^\n]*\none +written +/)
  expect(shown.stdout).toMatch(new RegExp(`\\nTRANSACTION[^\\n]*\\n${taken} +one +\\d+ +won +yes +yes +0x`))
  const json = JSON.parse((await rescind(['bulk', 'show', id, '--transactions', '--json'])).stdout)
  expect(json).toMatchObject({ id, reason: 'they wrote', transactions: [{ transaction: { id: taken } }] })
})

test('a preview has an instant and a number, beyond which nothing is canceled', async () => {
  await anvil.mine(3)
  const shown = await submitted('two')
  const scope = ['-r', 'two', '--status', 'submitted']
  expect(await rescind(['bulk', 'preview', ...scope])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/as of +\S+Z\ntransactions +1\n/),
  })
  const { instant, counts } = JSON.parse((await rescind(['bulk', 'preview', ...scope, '--json'])).stdout)
  const later = await submitted('two')
  const create = ['bulk', 'create', ...scope, '--yes', '--at-most', String(counts.matches)]
  expect(await rescind(create)).toMatchObject({
    exit: 3,
    stdout: '',
    stderr: expect.stringContaining('TOO_MANY_MATCHES'),
  })
  expect(await rescind([...create, '--created-to', instant])).toMatchObject({ exit: 5 })
  expect((await client.get('two', shown)).status).toBe('canceled')
  expect((await client.get('two', later)).status).toBe('submitted')

  const confirmed = await inProcess(['bulk', 'create', ...scope], 'y\n')
  const id = confirmed.stdout.trim()
  expect((await rescind(['bulk', 'show', id])).stdout).toMatch(/\nfilter +created until \S+Z, submitted\n/)
  await Promise.all([noOpInPool('two', shown), noOpInPool('two', later)])
  await anvil.mine(3)
})

test('the same key names the same cancellation, and takes nothing that was sent since', async () => {
  await anvil.mine(3)
  const id = await submitted('two')
  const args = ['bulk', 'create', '-r', 'two', '--id', id, '--yes', '--idempotency-key', 'k1']
  const created = await rescind(args)
  expect(created).toMatchObject({ exit: 5, stderr: expect.not.stringContaining('idempotency key') })
  await noOpInPool('two', id)
  const again = running([...args, '--wait', '60', '--json'])
  await mineUntilEnd(again.child)
  const ended = await again.ended
  expect(ended).toMatchObject({ exit: 0, stderr: '' })
  expect(JSON.parse(ended.stdout)).toMatchObject({ id: created.stdout.trim(), final: true, filter: { ids: [id] } })
  const reused = await rescind([...args, '--name', 'another'])
  expect(reused).toMatchObject({ exit: 3, stderr: expect.stringContaining('IDEMPOTENCY_KEY_REUSED') })
})

test('a limit of cost leaves transactions beyond it, and the others’ share shows until a cancel lifts it', async () => {
  await anvil.mine(3)
  const id = await submitted('two')
  const free = await rescind(['bulk', 'create', '-r', 'two', '--only', 'free', '--yes'])
  expect(free).toMatchObject({ exit: 1, stderr: expect.stringContaining('1 match was not canceled') })
  const refused = await rescind(['bulk', 'show', free.stdout.trim()])
  expect(refused.stdout).toMatch(/\nlimit +only free ones\n[\s\S]*\nrefused: not free +1\n/)
  expect(refused.stdout).toMatch(new RegExp(`\\n${id} +two +costs +needs a no-op, [^\\n]*, for up to 0\\.\\d+ ether`))
  const dear = await rescind(['bulk', 'create', '-r', 'two', '--max-cost', '2gwei', '--yes'])
  const beyond = await rescind(['bulk', 'show', dear.stdout.trim()])
  expect(beyond.stdout).toMatch(/\nrefused: costs more than was left +1\n/)
  expect(beyond.stdout).toMatch(/ beyond_max_cost +[^\n]*; 2 gwei of the limit were left/)
  expect((await client.get('two', id)).status).toBe('submitted')

  const unanswered = await rescind(['bulk', 'create', '-r', 'two', '--max-cost', '0.1ether'])
  expect(unanswered).toMatchObject({ exit: 2, stderr: expect.stringMatching(/\nlimit +at most 0\.1 ether\n/) })
  const created = await rescind(['bulk', 'create', '-r', 'two', '--max-cost', '0.1 ether', '--yes'])
  expect(created).toMatchObject({
    exit: 5,
    stderr: expect.stringMatching(/cost 0 ether so far, at most 0\.00\d+ ether/),
  })
  await noOpInPool('two', id)
  // Blocks without transactions have lowered the base fee: what is dearer follows from the share.
  const [, share = ''] = /at most (0\.\d+) ether/.exec(created.stderr) ?? []
  const dearer = toHex((4n * parseEther(share)) / 21_000n)
  const got = () => rescind(['tx', 'get', id, '-r', 'two'])
  const isBeyond = async () => {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [dearer])
    await anvil.mine()
    return (await got()).stdout.includes('lift its bound')
  }
  await until(isBeyond, { what: 'the condition', everyMs: 300 })
  const { stdout } = await got()
  expect(stdout).toMatch(/\nreason +[^\n]*above its bound of [^\n]*\(DELETE\) to lift the bound/)
  expect(stdout).toMatch(/\ncost at most +0\.00\d+ ether, its share of a max_cost\n/)
  const lift = /\nlift its bound +rescind ([^\n]+)/.exec(stdout)?.[1]?.split(' ') ?? []
  expect(await rescind(lift)).toMatchObject({ exit: 5 })
  expect((await got()).stdout).not.toContain('cost at most')
  const shown = await rescind(['bulk', 'show', created.stdout.trim(), '--transactions'])
  expect(shown.stdout).toMatch(/\ncost +0 ether so far\ncost at most +0\.00\d+ ether\n/)
  const watching = running(['bulk', 'watch', created.stdout.trim()])
  await mineUntilEnd(watching.child)
  expect((await watching.ended).exit).toBe(0)
})

test('a payload that is mined first ends with 4', async () => {
  const id = await submitted('two')
  const { hash = '' } = await client.get('two', id)
  const raw = await anvil.rpc<string>('eth_getRawTransactionByHash', [hash])
  const canceling = running(['bulk', 'create', '-r', 'two', '--status', 'submitted', '--yes', '--wait', '60'])
  const noOp = await noOpInPool('two', id)
  // The block is of a miner that never saw the no-op.
  await anvil.rpc('anvil_dropTransaction', [noOp.hash])
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await anvil.mine(3)
  expect(await canceling.ended).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining('1 ended with another transaction in the nonce'),
  })
})

test('everything is stopped by one command: each relayer is paused, and nothing of any is left', async () => {
  const ids = [await submitted('one'), await submitted('two')]
  const declined = await inProcess(['stop-everything'], 'n\n')
  expect(declined).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/relayers +all 2\ncancels +everything open\n/),
  })
  expect((await client.get('one', ids[0] ?? '')).status).toBe('submitted')
  const stopping = running(['stop-everything', '--yes', '--reason', 'a leak', '--wait', '60', '--json'])
  await Promise.all([noOpInPool('one', ids[0] ?? ''), noOpInPool('two', ids[1] ?? '')])
  await mineUntilEnd(stopping.child)
  const stopped = await stopping.ended
  expect(stopped.exit).toBe(0)
  expect(JSON.parse(stopped.stdout)).toMatchObject({
    ...{ every_relayer: true, pause: true, reason: 'a leak', relayers: ['one', 'two'] },
    counts: { won: 2, safe_to_retry: 'all' },
  })
  for (const relayer of ['one', 'two']) {
    await expect(client.send(relayer, { to, value: '1' })).rejects.toThrow('RELAYER_PAUSED')
    expect(await rescind(['resume', '-r', relayer])).toMatchObject({ exit: 0 })
  }
})

/** The commands of a section of docs/recipes.md. */
async function recipe(title: string): Promise<readonly string[]> {
  const recipes = await readFile(new URL('../../docs/recipes.md', import.meta.url), 'utf8')
  const section = recipes.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(/^ *```sh\n([^`]+)```$/gm)].map(([, block = '']) => block.replaceAll(/^ {3}/gm, ''))
}

/** Its shell has `rescind`, and prints the exit code of each block. */
async function follow(blocks: readonly string[]) {
  await writeFile(join(folder, 'rescind'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`)
  await chmod(join(folder, 'rescind'), 0o755)
  const file = join(folder, 'recipe.sh')
  await writeFile(file, blocks.map((block) => `${block}\necho "exit $?"\n`).join(''))
  const child = spawn('bash', [file], {
    cwd: folder,
    env: { ...process.env, ...env(), PATH: `${folder}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(stdout)))
  return { child, ended }
}

const older = 'Cancel transactions older than ten minutes, at most 0.1 ether'

test.each([
  ['Stop everything in an incident', 'its commands', [0, 1, 2], ['exit 5', 'exit 0', 'exit 0']],
  [older, 'by the CLI', [0, 1, 3, 4], ['exit 0', 'exit 5', 'exit 0', 'exit 0']],
  [older, 'by HTTP', [0, 2, 3, 4], ['exit 0', 'exit 0', 'exit 0', 'exit 0']],
])('the recipe is followed: %s, %s', async (title, _, steps, exits) => {
  await anvil.mine(3)
  const ids = [await submitted('one'), await submitted('two')]
  const blocks = await recipe(title)
  expect(blocks).toHaveLength(title === older ? 5 : 3)
  const sentBefore = Date.now()
  await until(async () => Date.now() > sentBefore + 1_000, { what: 'their age' })
  // Ten minutes are too long for a test, and two runs within a minute are one.
  const followed = steps.map((step) => (blocks[step] ?? '').replace('10m', '1s').replace('%H:%M', '%H:%M:%S'))
  const { child, ended } = await follow(followed)
  await Promise.all([noOpInPool('one', ids[0] ?? ''), noOpInPool('two', ids[1] ?? '')])
  await mineUntilEnd(child)
  const printed = await ended
  expect(printed.match(/^exit \d$/gm)).toEqual(exits)
  expect(printed).toMatch(/\nsafe to retry +yes\n/)
  if (title === older) expect(printed).toMatch(/\ncanceled +2\n[\s\S]*\ncost at most +0\.00\d+ ether\n/)
  for (const relayer of ['one', 'two']) expect(await rescind(['resume', '-r', relayer])).toMatchObject({ exit: 0 })
})

test.each([
  [['bulk', 'create', '--yes'], 'name relayers with --relayer, or take all of them with --all'],
  [['bulk', 'create', '--all', '-r', 'one', '--yes'], 'give --relayer or --all, not both'],
  [['bulk', 'create', '--all', '--older-than', '10min', '--yes'], '--older-than: "10min" is no duration; write 90s'],
  [['bulk', 'create', '--all', '--selector', '0x12', '--yes'], '--selector: "0x12" is no selector'],
  [['bulk', 'create', '--all', '--status', 'mined', '--yes'], 'Allowed choices are pending, sent, submitted'],
  [['bulk', 'create', '--all', '--value-from', '1.5', '--yes'], '--value-from: "1.5" is no amount'],
  [['bulk', 'create', '--all', '--max-cost', '0.1', '--yes'], '--max-cost: "0.1" is no amount; write 1.5ether'],
  [['bulk', 'create', '--all', '--created-to', 'noon', '--yes'], '--created-to: "noon" is no time; write 30m'],
  [['stop-everything', '--only', 'cheap', '--yes'], 'Allowed choices are free'],
  [['bulk', 'watsch', 'x'], 'Did you mean watch?'],
])('a wrong call ends with 2: %j', async (args, message) => {
  expect(await rescind(args)).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining(message) })
})
