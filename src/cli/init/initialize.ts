// Gathers the answers, tests the node and the key, and then writes the files: all of them are new, none is replaced.
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../../ops/clock.ts'
import { silentLogger } from '../../ops/logger.ts'
import { SignerError } from '../../ops/operator-error.ts'
import { freshId, systemRandom } from '../../ops/random.ts'
import { secret } from '../../ops/secret.ts'
import { createKeystore } from '../../signers/create-keystore.ts'
import { openSigner, signerContext } from '../../signers/open-signers.ts'
import type { Around } from '../command.ts'
import { CommandError, exits, usage } from '../exits.ts'
import { developmentIds, findNetwork, type NodeFacts, readNode } from './find-network.ts'
import { configText, envText } from './write-config.ts'

export interface InitOptions {
  readonly rpcUrl?: string
  readonly network?: string
  readonly relayer: string
  readonly keystore?: string
}

interface Initialized {
  readonly address: string
  /** Paths from the working directory. */
  readonly files: readonly string[]
  /** Whether the network is one for development, by the chain id of the node. */
  readonly isDevelopment: boolean
}

const configFile = 'config/config.json'
/** For editors, which complete and check the configuration by it. */
const schemaFile = 'config/config.schema.json'

/** Throws CommandError, before it has written a file. */
export async function initialize({ life, terminal }: Around, options: InitOptions): Promise<Initialized> {
  const { env, directory } = life
  const { relayer } = options
  if (!/^[\w-]{1,36}$/.test(relayer)) {
    throw usage(`--relayer: "${relayer}" is no id; use up to 36 letters, digits, dashes and underscores`)
  }
  const newKeystore = `config/keys/${relayer}.json`
  for (const file of [configFile, '.env', ...(options.keystore === undefined ? [newKeystore] : [])]) {
    await refuseExisting(directory, file)
  }
  const question = async (text: string, fallback: string, missing: string) => {
    if (terminal.isInteractive) return (await terminal.ask(text)) || fallback
    if (fallback === '') throw usage(missing)
    return fallback
  }

  const { RPC_URL: urlOfEnv = '', KEYSTORE_PASSPHRASE: passphraseOfEnv = '' } = env
  const missingUrl = '--rpc-url is missing: name a node, or set RPC_URL in the environment'
  const url = options.rpcUrl ?? (urlOfEnv || (await question('URL of a node: ', '', missingUrl)))
  terminal.progress('reading the node')
  const node = await readNode(url)
  const network = await networkOf(options, node, question)

  const path = options.keystore ?? (await question('Path of a keystore (empty: a new key): ', newKeystore, ''))
  const isNew = path === newKeystore && options.keystore === undefined
  const random = systemRandom()
  const passphrase = isNew ? hex(random.bytes(32)) : passphraseOfEnv || (await askPassphrase(terminal))
  terminal.progress('opening the keystore')
  const created = isNew ? await createKeystore(passphrase, random, freshId(random, systemClock.now())) : undefined
  const apiKey = hex(random.bytes(32))
  const sealing = Buffer.from(random.bytes(32)).toString('base64')
  const files: { readonly name: string; readonly text: string; readonly mode: number }[] = [
    ...(created === undefined ? [] : [{ name: path, text: created, mode: 0o600 }]),
    { name: configFile, text: configText({ relayer, network, keystore: path }), mode: 0o644 },
    { name: '.env', text: envText({ apiKey, url, passphrase, sealing }), mode: 0o600 },
  ]
  if (!(await exists(directory, schemaFile))) files.push({ name: schemaFile, text: await readSchema(), mode: 0o644 })
  if (!isNew) await addressOf(directory, path, passphrase)
  for (const { name, text, mode } of files) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text, { flag: 'wx', mode })
  }
  return {
    address: await addressOf(directory, path, passphrase),
    files: files.map(({ name }) => name),
    isDevelopment: developmentIds.includes(node.chainId),
  }
}

type Question = (text: string, fallback: string, missing: string) => Promise<string>

async function networkOf(options: InitOptions, node: NodeFacts, question: Question) {
  const suggested = await findNetwork(options.network, node)
  if (options.network !== undefined) return suggested
  const name = await question(`Network [${suggested.name}]: `, suggested.name, '')
  return findNetwork(name, node)
}

/** The package has it beside the example of a configuration. */
function readSchema(): Promise<string> {
  return readFile(new URL(`../../../${schemaFile}`, import.meta.url), 'utf8')
}

function exists(directory: string, file: string): Promise<boolean> {
  return access(join(directory, file)).then(
    () => true,
    () => false,
  )
}

async function refuseExisting(directory: string, file: string): Promise<void> {
  if (await exists(directory, file))
    throw new CommandError(exits.error, `${file} is there already, and stays as it is; run this elsewhere`)
}

async function askPassphrase(terminal: Around['terminal']): Promise<string> {
  if (terminal.isInteractive) return terminal.askSecret('Passphrase of the keystore: ')
  throw usage('KEYSTORE_PASSPHRASE is not set: set it in the environment to the passphrase of the keystore')
}

/** Opens the keystore as the service will. */
async function addressOf(directory: string, path: string, passphrase: string): Promise<string> {
  const settings = { id: 'key', type: 'local', path: resolve(directory, path), passphrase: secret(passphrase) } as const
  try {
    return (
      await openSigner(settings, signerContext({ log: silentLogger, clock: systemClock, random: systemRandom() }))
    ).address
  } catch (error) {
    if (error instanceof SignerError) throw new CommandError(exits.error, error.message, { cause: error })
    throw error
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
