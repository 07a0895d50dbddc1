// The allowed imports between the rooms of src/.
import { posix } from 'node:path'
import { importsOf } from './source.ts'

/** A file under src/, by its path from there: 'domain/fees.ts'. */
export interface SourceFile {
  readonly path: string
  readonly source: string
}

type Rule = readonly string[]

const ports: Rule = [
  'chain/chain.ts',
  'signers/settings.ts',
  'signers/signer.ts',
  'store/hints.ts',
  'store/locks.ts',
  'store/store.ts',
]

/** Folder: what it may import besides itself. A folder stands for all its files. */
const matrix: Readonly<Record<string, Rule>> = {
  domain: [],
  ops: ['domain'],
  config: [
    'signers/settings.ts',
    'ops/curve-point.ts',
    'ops/secret.ts',
    'ops/member.ts',
    'ops/near-names.ts',
    'ops/rpc-hosts.ts',
    'ops/request-headers.ts',
    'ops/http-url.ts',
    'domain/defined.ts',
    'domain/duration.ts',
    'domain/finality.ts',
    'domain/network-profiles.ts',
    'domain/policy-table.ts',
    'domain/skip-beside-reserve.ts',
    'domain/gas-figures.ts',
    'domain/profile.ts',
    'domain/fees.ts',
    'domain/ids.ts',
    'domain/published-accounts.ts',
    'domain/second-witness.ts',
    'domain/settings.ts',
    'domain/signer-form.ts',
    'domain/signer-schema.ts',
    'domain/signer-table.ts',
  ],
  chain: ['domain', 'ops'],
  signers: ['domain', 'ops'],
  store: ['domain', 'ops'],
  registry: ['domain', 'ops', ...ports],
  commands: ['domain', 'ops', 'registry', ...ports],
  engine: ['domain', 'ops', 'ownership/ownership.ts', ...ports],
  ownership: ['domain', 'ops', ...ports],
  webhooks: ['domain', 'ops', 'store/store.ts'],
  retention: ['domain', 'ops', 'store/retention-port.ts', 'store/store.ts'],
  reports: ['domain', 'ops', 'chain/chain.ts', 'signers/signer.ts', 'store/store.ts'],
  http: [
    'commands',
    'domain',
    'ops',
    'registry/entities.ts',
    'registry/registry.ts',
    'store/store.ts',
    'store/list-port.ts',
    'store/hints.ts',
    'chain/chain.ts',
  ],
  // It stands alone: programs import it from the package.
  client: [],
  // What the command line and the dashboard say in the same words.
  words: ['client', 'domain/shown-amount.ts'],
  cli: ['client', 'words', 'ops', 'domain/defined.ts', 'domain/shown-amount.ts'],
  // It runs in browsers, and reaches the service by its API alone. Amounts look the same everywhere.
  dashboard: ['client', 'words', 'domain/shown-amount.ts'],
}

/** Folders below one of the matrix that may import more than it. */
const apart: Readonly<Record<string, Rule>> = {
  // They look at what a start needs, without a service.
  'cli/init': ['client', 'ops', 'config', 'chain', 'domain', 'signers'],
  'cli/check': ['client', 'ops', 'config', 'chain', 'domain', 'signers', 'store'],
}

/** Resources of the API: whatever one of them needs of another is a presenter, named below. */
const resource = (name: string, ...presenters: readonly string[]): Rule => [
  'http',
  'http/request',
  'http/response',
  'commands',
  `commands/${name}`,
  ...presenters,
]

/** From rows to bulk cancellations: each imports those before it. */
const transactionRooms = ['rows', 'counted', 'written', 'found', 'bulk'].map((room) => `store/transactions/${room}`)

const tables = [
  ...transactionRooms,
  ...['events', 'deliveries', 'relayers', 'reports', 'registry', 'access'].map((room) => `store/${room}`),
]

/**
 * The floors of the decisions: each room imports those before it. Terms are shared by rules and stages; a rule is for a rare world, and a
 * stage calls it by name. The last two stand around the stages. Beside them lie the files that put a decision together.
 */
const decide = (...names: readonly string[]) => ['domain', ...names.map((name) => `domain/decide/${name}`)]
const stages = ['facts', 'waits', 'queue', 'race']
const aroundStages = ['plan', 'terms', 'rules', ...stages, 'signer', 'lost-history']

/**
 * Rooms of a folder: what each may import of the same folder besides itself. A room stands for the files right in it, so that
 * a folder's own name stands for what lies beside its rooms; a file that is named has a rule of its own.
 */
const rooms: Readonly<Record<string, Rule>> = {
  domain: [],
  'domain/decide': decide(...aroundStages),
  'domain/decide/plan': decide(),
  'domain/decide/terms': decide('plan'),
  'domain/decide/rules': decide('plan', 'terms'),
  'domain/decide/facts': decide('plan', 'terms', 'rules'),
  'domain/decide/waits': decide('plan', 'terms', 'rules'),
  'domain/decide/queue': decide('plan', 'terms', 'rules', 'waits'),
  'domain/decide/race': decide('plan', 'terms', 'rules', 'waits'),
  'domain/decide/signer': decide('plan', 'terms', 'rules', ...stages),
  'domain/decide/lost-history': decide('plan', 'terms', 'rules', ...stages),
  'domain/bulk': ['domain/decide', ...decide(...aroundStages)],
  'domain/preview': ['domain/decide', ...decide(...aroundStages)],

  commands: [],
  'commands/transactions': ['commands'],
  'commands/bulk-cancellations': ['commands'],
  'commands/relayers': ['commands'],
  'commands/signers': ['commands'],
  'commands/notifications': ['commands'],
  'commands/networks': ['commands'],
  'commands/api-keys': ['commands'],
  'commands/events': ['commands'],
  'commands/dashboard': ['commands'],

  chain: ['chain/nodes', 'chain/heads', 'chain/accounts', 'chain/inclusions', 'chain/sending', 'chain/fees'],
  'chain/chain.ts': [],
  'chain/nodes': ['chain/chain.ts'],
  'chain/heads': ['chain/chain.ts', 'chain/nodes'],
  'chain/fees': ['chain/nodes', 'chain/heads'],
  'chain/sending': ['chain/chain.ts', 'chain/nodes'],
  'chain/accounts': ['chain/nodes', 'chain/heads', 'chain/fees', 'chain/inclusions'],
  'chain/inclusions': ['chain/nodes', 'chain/heads'],

  store: [],
  'store/reads.ts': ['store', ...tables],
  'store/session.ts': ['store', ...tables],
  ...Object.fromEntries(
    transactionRooms.map((room, place) => [room, ['store', 'store/relayers', ...transactionRooms.slice(0, place)]]),
  ),
  'store/events': ['store', ...transactionRooms],
  'store/deliveries': ['store', 'store/events'],
  'store/relayers': ['store', 'store/deliveries'],
  'store/reports': ['store', 'store/transactions/counted'],
  'store/registry': ['store'],
  'store/access': ['store'],
  'store/migrations': ['store'],
  'store/sqlite': ['store', 'store/migrations', ...tables],
  'store/postgres': ['store', 'store/migrations', ...tables],
  'store/transfer': ['store', 'store/migrations', 'store/sqlite', 'store/postgres'],

  http: [],
  'http/response': ['http'],
  // The door looks a key up by its digest, which is made where keys are.
  'http/request': [
    ...['http', 'http/response', 'commands', 'commands/api-keys/api-key-token.ts'],
    'commands/dashboard/session-token.ts',
  ],
  'http/transactions': resource('transactions'),
  'http/relayers': resource(
    'relayers',
    'http/transactions/present-transaction.ts',
    'http/transactions/present-wait.ts',
  ),
  'http/bulk-cancellations': resource(
    'bulk-cancellations',
    'http/transactions/labels.ts',
    'http/transactions/list-filter.ts',
    'http/transactions/present-cancellation.ts',
    'http/transactions/present-transaction.ts',
  ),
  'http/signers': resource('signers'),
  'http/notifications': resource('notifications'),
  'http/networks': resource('networks'),
  'http/api-keys': resource('api-keys'),
  'http/events': resource(
    'events',
    'http/transactions/present-cancellation.ts',
    'http/transactions/present-transaction.ts',
    'http/transactions/present-wait.ts',
    'http/bulk-cancellations/present-bulk.ts',
  ),
  'http/service': resource('service'),
  'http/dashboard': resource('dashboard'),
  'http/server': [
    ...['http', 'http/request', 'http/response', 'http/dashboard'],
    ...['commands', 'commands/bulk-cancellations', 'commands/dashboard', 'commands/events', 'commands/relayers'],
    'commands/transactions',
    ...[
      'transactions',
      'bulk-cancellations',
      'relayers',
      'signers',
      'notifications',
      'networks',
      'api-keys',
      'events',
      'service',
    ].map((name) => `http/${name}`),
  ],
}

/** What the rules of a folder's rooms are about, where it is more than the folder. */
const bounded: Readonly<Record<string, Rule>> = { http: ['http', 'commands'] }

/** Of the ports, a folder beside them may take the types alone. */
const typesOnly: Readonly<Record<string, Rule>> = {
  http: [
    ...['registry/entities.ts', 'registry/registry.ts', 'store/store.ts', 'store/list-port.ts', 'store/hints.ts'],
    'chain/chain.ts',
  ],
  ops: ['domain'],
}

/** Packages that a file or a folder may use at run time; where it isn't listed, any. */
const packages: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  // Its hash is a pure function.
  'domain/payload-digest.ts': ['node:crypto'],
  client: [],
}

/**
 * Files at the top of src/: main is the process, serve its life, compose and its parts the only ones that name implementations. `transfer` is
 * another life, which is about two databases and nothing else.
 */
const top: Readonly<Record<string, Rule>> = {
  'main.ts': ['arguments.ts', 'serve.ts', 'transfer.ts', 'version.ts', 'cli'],
  'arguments.ts': [],
  'version.ts': [],
  'serve.ts': ['compose.ts', 'version.ts', 'config', 'domain/process-condition.ts', 'ops'],
  'transfer.ts': ['config', 'ops', 'store'],
  'compose-database.ts': ['config', 'ops', 'store'],
  'compose-networks.ts': ['chain', 'config', 'domain', 'ops', 'registry', 'store/store.ts'],
  'compose-signers.ts': [
    ...['commands/management.ts', 'commands/relayers/sync-configured-relayers.ts', 'config', 'domain/ids.ts'],
    ...['domain/settings.ts', 'ops', 'registry', 'signers', 'store/store.ts'],
  ],
  'compose.ts': [
    ...['compose-database.ts', 'compose-networks.ts', 'compose-signers.ts'],
    ...Object.keys(matrix).filter((folder) => !['cli', 'client', 'words'].includes(folder)),
  ],
}

/** The folders and files that a file may import besides its own folder; absent where the matrix has no place for it. */
function ruleOf(path: string): Rule | undefined {
  return path.includes('/') ? (apart[posix.dirname(path)] ?? matrix[folderOf(path)]) : top[path]
}

/** Each forbidden import, in words; empty when the file keeps the matrix. */
export function matrixViolations({ path, source }: SourceFile): readonly string[] {
  const folder = folderOf(path)
  const allowed = ruleOf(path)
  const hasRooms = rooms[folder] !== undefined
  const room = rooms[path] ?? rooms[posix.dirname(path)]
  if (!allowed || (hasRooms && !room)) return [`src/${path}: has no place in the matrix`]
  const violations: string[] = []
  for (const { specifier, typeOnly } of importsOf(source)) {
    const say = (fault: string) => violations.push(`src/${path}: ${fault} "${specifier}"`)
    if (!specifier.startsWith('.')) {
      if (!typeOnly && !(packages[path] ?? packages[folder] ?? [specifier]).includes(specifier))
        say('imports at run time')
      if (folder === 'domain' && typeOnly && specifier !== 'viem') say('imports types of')
      continue
    }
    const target = posix.join(posix.dirname(path), specifier)
    if (room && (bounded[folder] ?? [folder]).includes(folderOf(target)) && !isInRoom(room, path, target)) {
      say('is of a room that may not import')
      continue
    }
    if (folder !== '' && folderOf(target) === folder) continue
    if (!covers(allowed, target)) say('may not import')
    else if (!typeOnly && covers(typesOnly[folder] ?? [], target)) say('may import only the types of')
    if (!/\.(ts|json)$/.test(specifier)) say('imports without its ending .ts')
  }
  return violations
}

function covers(rule: Rule, target: string): boolean {
  return rule.some((entry) => target === entry || folderOf(target) === entry)
}

function isInRoom(rule: Rule, path: string, target: string): boolean {
  const targetRoom = posix.dirname(target)
  return targetRoom === posix.dirname(path) || rule.includes(target) || rule.includes(targetRoom)
}

/** '' for a file at the top. */
function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : ''
}
