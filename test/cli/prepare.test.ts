// What runs before there is a service, from the packed package: init, check, start, and a Node that is too old.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { type Anvil, startAnvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { freePort } from '../../tooling/free-port.ts'
import { type Ran, start } from './support/packed.ts'

const directory = inject('packed')
const main = join(directory, 'dist/main.js')
let anvil: Anvil
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-init-'))
  anvil = await startAnvil({ mining: 'manual' })
})
afterAll(async () => {
  await anvil?.stop()
  await rm(folder, { recursive: true, force: true })
})

const rescind = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = folder): Promise<Ran> =>
  start(main, args, { cwd, env }).ended
const inFolder = (name: string) => readFile(join(folder, name), 'utf8')
const newFolder = () => mkdtemp(join(folder, 'other-'))
const modeOf = async (name: string) => ((await stat(join(folder, name))).mode & 0o777).toString(8)

test('init writes a configuration with a new key, which check accepts and start runs', async () => {
  const made = await rescind(['init', '--rpc-url', anvil.url, '--relayer', 'payouts'])
  expect(made).toMatchObject({ exit: 0, stdout: 'rescind check\nrescind start\nrescind status\n' })
  const [address = ''] = /0x[0-9a-fA-F]{40}/.exec(made.stderr) ?? []
  expect(made.stderr).toContain(`the address ${address}`)
  const [funding = ''] = /^\(\. .*$/m.exec(made.stderr) ?? []
  expect(funding).not.toContain(anvil.url)
  await promisify(execFile)('sh', ['-c', funding], { cwd: folder })
  expect(await anvil.rpc('eth_getBalance', [address, 'latest'])).toBe('0x56bc75e2d63100000')
  await anvil.rpc('anvil_setBalance', [address, '0x0'])
  expect(await modeOf('.env')).toBe('600')
  expect(await modeOf('config/keys/payouts.json')).toBe('600')
  const config = await inFolder('config/config.json')
  expect(JSON.parse(config)).toMatchObject({
    $schema: './config.schema.json',
    relayers: [{ id: 'payouts', network: 'localhost' }],
    networks: [{ chain_id: 31337, features: ['eip1559'], rpc_urls: [{ type: 'env', value: 'RPC_URL' }] }],
  })
  expect(JSON.parse(await inFolder('config/config.schema.json'))).toMatchObject({ type: 'object' })
  const { API_KEY: key = '', KEYSTORE_PASSPHRASE: passphrase = '' } = parseEnv(await inFolder('.env'))
  for (const secret of [key, passphrase, anvil.url]) expect(config).not.toContain(secret)

  const ports = { APP_PORT: String(await freePort()), METRICS_PORT: String(await freePort()) }
  await anvil.mine(10)
  const checked = await rescind(['check'], ports)
  expect(checked).toMatchObject({ exit: 0, stderr: '' })
  for (const line of [
    new RegExp(`^ok +configuration +signer payouts-key +${address}$`, 'm'),
    /^ok +ports +APP_PORT +127\.0\.0\.1:\d+ is free$/m,
    /^ok +database +\S+rescind\.db +is created at the first start$/m,
    /^ok +localhost, endpoint 1 +chain id +31337$/m,
    /^ok +localhost, endpoint 1 +pending +the tag is supported$/m,
    /^ok +localhost, endpoint 1 +gas of a no-op +21000$/m,
    /^ok +localhost, endpoint 1 +gas rules +base 21000, floor 10, new_account 0$/m,
    /^ok +localhost, endpoint 1 +finalized +block \d+$/m,
    /^ok +localhost, endpoint 1 +minimum tip +the node suggests [\d.]+ gwei/m,
    /^ok +localhost, endpoint 1 +block time +1000 ms$/m,
    /localhost, endpoint 1 +clock +the newest block is \d+ s/m,
  ]) {
    expect(checked.stdout).toMatch(line)
  }

  const service = start(main, ['start'], { cwd: folder, env: ports })
  try {
    await until(() => service.stdout().includes('"msg":"ready"'), { what: 'ready' })
    const status = await rescind(['status'], ports)
    expect(status.stdout).toContain(address)
    // 6 once the service has looked at the new account, which could not pay for a send.
    expect([0, 6]).toContain(status.exit)
    const busy = JSON.parse((await rescind(['check', '--json'], ports)).stdout)
    expect(busy).toContainEqual(expect.objectContaining({ level: 'warning', check: 'APP_PORT' }))
    expect(busy).toContainEqual(expect.objectContaining({ level: 'warning', place: 'database' }))
  } finally {
    service.child.kill('SIGTERM')
  }
  expect(await service.ended).toMatchObject({ exit: 0, stderr: '' })
  expect(JSON.parse((await rescind(['check', '--json'], ports)).stdout)).toContainEqual(
    expect.objectContaining({ level: 'ok', place: 'database', text: 'has the schema of this version' }),
  )
})

test('init replaces no file', async () => {
  const before = await inFolder('.env')
  expect(await rescind(['init', '--rpc-url', anvil.url])).toMatchObject({
    exit: 1,
    stdout: '',
    stderr: expect.stringContaining('config/config.json is there already'),
  })
  expect(await inFolder('.env')).toBe(before)
})

test('init takes an existing keystore, from answers at a terminal', async () => {
  const { KEYSTORE_PASSPHRASE: passphrase = '' } = parseEnv(await inFolder('.env'))
  const cwd = await newFolder()
  const keystore = join(folder, 'config/keys/payouts.json')
  const made = await atTerminal(['init'], cwd, [
    ['URL of a node: ', anvil.url],
    ['Path of a keystore', keystore],
    ['Network [', 'devchain'],
    ['Passphrase', passphrase],
  ])
  expect(made).toMatchObject({ exit: 0 })
  expect(made.stderr).not.toContain(passphrase)
  const config = JSON.parse(await readFile(join(cwd, 'config/config.json'), 'utf8'))
  expect(config).toMatchObject({ networks: [{ network: 'devchain' }], signers: [{ config: { path: keystore } }] })
  const checked = await rescind(['check'], { APP_PORT: '0', METRICS_PORT: '0' }, cwd)
  expect(checked).toMatchObject({ exit: 0, stderr: '' })
  // Its account is new.
  expect(checked.stdout).toMatch(/balance +0x\w{40} holds nothing: it pays for gas, so send it some/)
})

test.each([
  [['init'], {}, 2, '--rpc-url is missing'],
  [['init', '--rpc-url', 'ftp://hidden'], {}, 2, 'the URL of the node is no http or https URL'],
  [['init', '--relayer', 'a b'], {}, 2, '--relayer: "a b" is no id'],
  [['init', '--network', 'sepolia'], { RPC_URL: 'anvil' }, 1, 'the node serves chain 31337, and sepolia is 11155111'],
  [['init', '--keystore', 'none.json'], { RPC_URL: 'anvil', KEYSTORE_PASSPHRASE: 'x' }, 1, "can't be read (ENOENT)"],
  [['init', '--keystore', 'none.json'], { RPC_URL: 'anvil' }, 2, 'KEYSTORE_PASSPHRASE is not set'],
] as const)('%j with %j ends with %i and writes nothing', async (args, env: Record<string, string>, exit, message) => {
  const cwd = await newFolder()
  const { RPC_URL: node } = env
  const withNode = { ...env, ...(node === 'anvil' && { RPC_URL: anvil.url }) }
  const ran = await rescind(args, withNode, cwd)
  expect(ran).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(message) })
  expect(ran.stderr).not.toContain('hidden')
  await expect(stat(join(cwd, '.env'))).rejects.toThrow()
})

test('check reports every fault of a configuration, a port in use, and a node of another chain', async () => {
  const cwd = await newFolder()
  const faulty = await rescind(['check'], { APP_PORT: 'x' }, cwd)
  expect(faulty).toMatchObject({ exit: 1, stderr: expect.stringMatching(/\d errors in \d checks/) })
  expect(faulty.stdout).toMatch(/^error +configuration +API_KEY +is not set/m)
  expect(faulty.stdout).toMatch(/^error +configuration +APP_PORT +is "x"/m)

  expect(await rescind(['init', '--rpc-url', anvil.url], {}, cwd)).toMatchObject({ exit: 0 })
  const path = join(cwd, 'config/config.json')
  await writeFile(path, (await readFile(path, 'utf8')).replace('31337,', '5,'))
  const port = new URL(anvil.url).port
  const ran = await rescind(['check', '--json'], { APP_PORT: port, METRICS_PORT: '0' }, cwd)
  expect(ran.exit).toBe(1)
  const findings = JSON.parse(ran.stdout)
  const chain = { level: 'error', check: 'chain id', text: 'serves chain 31337; the network is 5' }
  expect(findings).toContainEqual(expect.objectContaining(chain))
  expect(findings).toContainEqual(
    expect.objectContaining({ level: 'error', check: 'APP_PORT', text: expect.stringContaining('another process') }),
  )
})

test('check reports a clock that is behind the chain', async () => {
  await anvil.mine(120)
  const ran = await rescind(['check', '--json'], { APP_PORT: '0', METRICS_PORT: '0' })
  expect(ran.exit).toBe(1)
  const text = expect.stringMatching(/^the newest block is \d+ s ahead of this machine/)
  expect(JSON.parse(ran.stdout)).toContainEqual(expect.objectContaining({ level: 'error', check: 'clock', text }))
})

test('help lists every command, and each command lists its options', async () => {
  const { stdout } = await rescind(['--help'])
  for (const command of ['init', 'check', 'status', 'send', 'tx', 'cancel', 'keys', 'migrate']) {
    expect(stdout).toMatch(new RegExp(`^rescind ${command} `, 'm'))
    const help = await rescind(['help', command])
    expect(help).toMatchObject({ exit: 0, stderr: '' })
    expect(await rescind([command, '--help'])).toEqual(help)
  }
  expect(await rescind(['serve'])).toMatchObject({ exit: 2, stderr: expect.stringContaining('no command "serve"') })
  expect(await rescind(['start', 'now'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('"start" has none'),
  })
})

test('the package exports the client with its types, and nothing else', async () => {
  const consumer = join(directory, 'consumer.mts')
  const code = [
    "import { type CancellationView, openClient } from 'rescind/client'",
    "const client = openClient({ url: 'http://127.0.0.1:8080', apiKey: 'key' })",
    "export const state = (id: string): Promise<CancellationView['state']> => client.cancellation('one', id).then((each) => each.state)",
    '// @ts-expect-error a member that the API does not have',
    "export const odd = () => client.send('one', { value: '1', memo: 'x' })",
  ]
  await writeFile(consumer, code.join('\n'))
  const flags = [
    '--noEmit',
    '--ignoreConfig',
    '--strict',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--types',
    'node',
  ]
  const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
  await promisify(execFile)(compiler, [...flags, consumer], { cwd: directory })
  const script = "import('rescind/client').then((each) => console.log(Object.keys(each).sort().join()))"
  const loads = (code: string) => promisify(execFile)(process.execPath, ['-e', code], { cwd: directory })
  expect((await loads(script)).stdout).toBe('ApiError,NoAnswer,openClient\n')
  await expect(loads("import('rescind')")).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
})

test('an older Node gets one sentence, with the command that works', async () => {
  const old = join(folder, 'old-node.mjs')
  await writeFile(old, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })\n")
  const { exit, stdout, stderr } = await start('--import', [old, main, 'send', '--value', '1 ether'], {
    cwd: folder,
    env: {},
  }).ended
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
  expect(stderr).toBe(
    "rescind needs Node 22.12 or later and runs on 20.20.2; this works: npx -p node@24 -p rescind rescind send --value '1 ether'\n",
  )
})

/** Answers each question once it stands there. */
async function atTerminal(
  args: readonly string[],
  cwd: string,
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<Ran> {
  const [stdin, output] = [new PassThrough(), new PassThrough()]
  const read = { stdout: '', stderr: '' }
  const left = [...answers]
  output.setEncoding('utf8').on('data', (chunk: string) => {
    read.stderr += chunk
    const at = left.findIndex(([question]) => chunk.includes(question))
    const [found] = at < 0 ? [] : left.splice(at, 1)
    if (found) setImmediate(() => stdin.write(`${found[1]}\n`))
  })
  const exit = await run(args, {
    env: {},
    directory: cwd,
    stop: new AbortController().signal,
    stdin: Object.assign(stdin, { isTTY: true }),
    stdout: { write: (text) => (read.stdout += text) },
    stderr: Object.assign(output, { isTTY: true }),
  })
  return { exit, ...read }
}

test('check reports a signer that is out, although its address is configured', async () => {
  const cwd = await newFolder()
  expect(await rescind(['init', '--rpc-url', anvil.url], {}, cwd)).toMatchObject({ exit: 0 })
  const path = join(cwd, 'config/config.json')
  const config = JSON.parse(await readFile(path, 'utf8'))
  const nowhere = {
    url: `http://127.0.0.1:${await freePort()}`,
    public_key: `0x02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`,
  }
  const address = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'
  config.signers = [{ id: config.signers[0].id, type: 'web3signer', address, config: nowhere }]
  await writeFile(path, JSON.stringify(config))
  const { exit, stdout } = await rescind(['check', '--json'], {}, cwd)
  expect(exit).not.toBe(0)
  const text = expect.stringMatching(new RegExp(`${address}: its key service does not sign \\(ECONNREFUSED\\)`))
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ level: 'error', text }))
})

test('a HOST of another machine is called HOST, by check and by start', async () => {
  const cwd = await newFolder()
  expect(await rescind(['init', '--rpc-url', anvil.url], {}, cwd)).toMatchObject({ exit: 0 })
  const env = { HOST: '203.0.113.9', APP_PORT: String(await freePort()), METRICS_PORT: String(await freePort()) }
  const checked = await rescind(['check', '--json'], env, cwd)
  const ofPorts = JSON.parse(checked.stdout).filter(({ place }: { place: string }) => place === 'ports')
  expect(ofPorts).toMatchObject([
    { level: 'error', check: 'HOST', text: expect.stringContaining('"203.0.113.9" is no address of this machine') },
    { level: 'error', check: 'HOST' },
  ])
  const started = await rescind(['start'], env, cwd)
  expect(started.exit).toBe(1)
  expect(started.stderr + started.stdout).toContain('HOST: ')
  expect(started.stderr + started.stdout).not.toContain('METRICS_HOST')
})

test('a folder without a configuration gets a hint to init', async () => {
  const started = await rescind(['start'], {}, await newFolder())
  expect(started).toMatchObject({ exit: 1, stderr: expect.stringContaining('run "rescind init", which writes one') })
})
