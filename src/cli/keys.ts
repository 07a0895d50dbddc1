// rescind keys: the API keys of the service.
import type { Command } from 'commander'
import type { ApiKeyInput, ApiKeyView } from '../client/client.ts'
import { type Act, type Around, addPaging, collect, type PageOptions, pageLine, serviceCommand } from './command.ts'
import { connect, type ServiceOptions } from './connect.ts'
import { type Exit, exits, usage } from './exits.ts'
import { pairs, table } from './format.ts'

interface CreateOptions extends ServiceOptions {
  readonly name: string
  readonly scope: readonly string[]
  readonly relayer?: readonly string[]
  readonly expiresAt?: string
}

const scopes = ['read', 'send', 'cancel', 'release', 'pause', 'sign', 'admin'] as const

export function addKeys(program: Command, act: Act): void {
  const keys = program.command('keys').description('list, create and revoke API keys')
  addPaging(serviceCommand(keys, 'list', 'list API keys, newest first'), 'keys').action(act(listKeys))
  serviceCommand(keys, 'create', 'create an API key, and print it this once')
    .requiredOption('--name <name>', 'a name for people')
    .requiredOption('--scope <scopes>', `what it may do: ${scopes.join(', ')}; several with commas`, collect)
    .option('-r, --relayer <ids>', 'the relayers that it may use; several with commas (default: all)', collect)
    .option('--expires-at <time>', 'when it expires, by RFC 3339 (default: never)')
    .action(act(createKey))
  serviceCommand(keys, 'revoke', 'revoke an API key')
    .argument('<id>', 'id of the key, as "keys list" shows it')
    .action(act(revokeKey))
}

async function listKeys({ life, terminal }: Around, options: PageOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const { page, perPage } = options
  const { items, total } = await client.apiKeys({ page, perPage })
  const rows = items.map((key) => [
    ...[key.id, key.name, `${key.hint}…`, key.scopes.join(','), key.relayers?.join(',') ?? 'all', stateOf(key)],
    key.last_used_at,
  ])
  const head = ['ID', 'NAME', 'KEY', 'SCOPES', 'RELAYERS', 'STATE', 'LAST USED']
  terminal.show(options, items, () => table(head, rows))
  if (!options.json && total > items.length) terminal.say(pageLine(options, total, 'keys'))
  return exits.done
}

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: ApiKeyView): string {
  if (revokedAt !== undefined) return `revoked ${revokedAt}`
  return expiresAt === undefined ? 'valid' : `until ${expiresAt}`
}

async function createKey({ life, terminal }: Around, options: CreateOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const { name, relayer, expiresAt } = options
  const input: ApiKeyInput = {
    name,
    scopes: options.scope.map(scopeOf),
    ...(relayer && { relayers: relayer }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  }
  const created = await client.createApiKey(input)
  if (options.json) {
    terminal.printJson(created)
    return exits.done
  }
  terminal.print(created.key)
  const facts = pairs([
    ['id', created.id],
    ['scopes', created.scopes.join(', ')],
    ['relayers', created.relayers?.join(', ') ?? 'all'],
  ])
  for (const line of [...facts, 'The key is shown this once: keep it now.']) terminal.say(line)
  return exits.done
}

function scopeOf(text: string): (typeof scopes)[number] {
  const scope = scopes.find((each) => each === text)
  if (!scope) throw usage(`--scope: "${text}" is none of ${scopes.join(', ')}`)
  return scope
}

async function revokeKey({ life, terminal }: Around, id: string, options: ServiceOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const revoked = await client.revokeApiKey(id)
  terminal.show(options, revoked, () => [`${plainName(revoked)} is revoked`])
  return exits.done
}

const plainName = ({ id, hint }: ApiKeyView) => `${id} (${hint}…)`
