// The connection of a command: the service's address, the key, and the relayer.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type ApiPage, type Client, openClient, type Paging } from '../client/client.ts'
import { memberOf } from '../ops/member.ts'
import { CommandError, exits, usage } from './exits.ts'
import type { CommandLife } from './terminal.ts'

/** The options that `serviceCommand` adds. */
export interface ServiceOptions {
  readonly url?: string
  readonly json?: true
}

export interface RelayerOptions extends ServiceOptions {
  readonly relayer?: string
}

interface Connected {
  readonly url: string
  readonly client: Client
}

/** Reads the environment, and `.env` in the working directory beneath it. Opens no connection yet. */
export async function connect(life: CommandLife, options: ServiceOptions): Promise<Connected> {
  const env = await environment(life)
  const url = serviceUrl(options, env)
  const { API_KEY: apiKey = '' } = env
  if (apiKey.trim() === '') {
    throw usage('API_KEY is not set: set it in the environment, or in .env in the working directory')
  }
  const client = openClient({ url, apiKey: apiKey.trim(), signal: life.stop })
  life.onConnect?.(client)
  return { url, client }
}

/** Connects, and finds the relayer that the command is about. */
export async function connectToRelayer(life: CommandLife, options: RelayerOptions) {
  const connected = await connect(life, options)
  return { ...connected, relayer: await relayerOf(connected.client, options) }
}

type Environment = Readonly<Record<string, string | undefined>>

async function environment({ env, directory }: CommandLife): Promise<Environment> {
  try {
    return { ...parseEnv(await readFile(join(directory, '.env'), 'utf8')), ...env }
  } catch (error) {
    const code = memberOf(error, 'code')
    if (code === 'ENOENT') return env
    throw new CommandError(exits.error, `.env can't be read (${code})`, { cause: error })
  }
}

function serviceUrl({ url: given }: ServiceOptions, { RESCIND_URL: variable, APP_PORT: port }: Environment): string {
  const text = given ?? (variable || `http://127.0.0.1:${port || 8080}`)
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return text
  const place = given === undefined ? (variable ? 'RESCIND_URL' : 'APP_PORT') : '--url'
  throw usage(`${place} gives no http or https URL; write it like http://127.0.0.1:8080, without user and password`)
}

const listedMax = 20

/** The ids of the first relayers that the key sees, and their number. */
export async function listRelayers(client: Client): Promise<{ readonly ids: string; readonly total: number }> {
  const { items, total } = await client.relayers({ perPage: listedMax })
  const ids = items.map(({ id }) => id).join(', ')
  return { ids: total > items.length ? `${ids}, …` : ids, total }
}

/** Reads every page of a list. */
export async function readAll<T>(read: (paging: Paging) => Promise<ApiPage<T>>, perPage = 100): Promise<readonly T[]> {
  const all: T[] = []
  for (let page = 1; ; page += 1) {
    const { items, total } = await read({ page, perPage })
    all.push(...items)
    if (items.length < perPage || all.length >= total) return all
  }
}

/** The relayer of the options, or the only one that the key may see. */
export async function relayerOf(client: Client, { relayer }: RelayerOptions): Promise<string> {
  if (relayer !== undefined) return relayer
  const { ids, total } = await listRelayers(client)
  if (total === 1) return ids
  throw usage(total === 0 ? 'the key sees no relayer' : `there are ${total} relayers: name one with -r (${ids})`)
}
