// Who may import whom under src/.
import { posix } from 'node:path'
import { importsOf } from './source.ts'

/** A file under src/, by its path from there: 'domain/fees.ts'. */
export interface SourceFile {
  readonly path: string
  readonly source: string
}

type Rule = readonly string[]

const ports: Rule = ['chain/chain.ts', 'signers/signer.ts', 'store/hints.ts', 'store/locks.ts', 'store/store.ts']

/** Folder: what it may import besides itself. A folder stands for all its files. */
const matrix: Readonly<Record<string, Rule>> = {
  domain: [],
  ops: ['domain'],
  config: ['ops/secret.ts', 'ops/member.ts', 'domain/policies.ts', 'domain/policy-table.ts', 'domain/ids.ts'],
  chain: ['domain', 'ops'],
  signers: ['domain', 'ops'],
  store: ['domain', 'ops'],
  registry: ['domain', 'ops', ...ports],
  commands: ['domain', 'ops', 'registry', ...ports],
  engine: ['domain', 'ops', 'ownership/ownership.ts', ...ports],
  ownership: ['domain', 'ops', ...ports],
  webhooks: ['domain', 'ops', 'store/store.ts'],
  retention: ['ops', 'store/store.ts'],
  http: [
    'commands',
    'domain',
    'ops',
    'registry/entities.ts',
    'registry/estate.ts',
    'store/store.ts',
    'store/hints.ts',
    'chain/chain.ts',
  ],
  cli: [],
  dashboard: [],
}

/** Of the ports, a folder beside them may take the types alone. */
const typesOnly: Readonly<Record<string, Rule>> = {
  http: ['registry/entities.ts', 'registry/estate.ts', 'store/store.ts', 'store/hints.ts', 'chain/chain.ts'],
  ops: ['domain'],
}

/** Packages that a folder may use at run time; where it isn't listed, any. */
const packages: Readonly<Record<string, readonly string[]>> = { domain: [] }

/**
 * Files at the top of src/: main is the process, serve its life, compose the only one that names implementations. `move` is
 * another life, which is about two databases and nothing else.
 */
const top: Readonly<Record<string, Rule>> = {
  'main.ts': ['arguments.ts', 'serve.ts', 'move.ts', 'version.ts', 'cli'],
  'arguments.ts': [],
  'version.ts': [],
  'serve.ts': ['compose.ts', 'version.ts', 'config', 'ops'],
  'move.ts': ['config', 'ops', 'store'],
  'compose.ts': [...Object.keys(matrix).filter((folder) => folder !== 'cli')],
}

/** Each forbidden import, in words; empty when the file keeps the matrix. */
export function matrixViolations({ path, source }: SourceFile): readonly string[] {
  const folder = folderOf(path)
  const allowed = folder === '' ? top[path] : matrix[folder]
  if (!allowed) return [`src/${path}: has no place in the matrix`]
  const violations: string[] = []
  for (const { specifier, typeOnly } of importsOf(source)) {
    const say = (fault: string) => violations.push(`src/${path}: ${fault} "${specifier}"`)
    if (!specifier.startsWith('.')) {
      if (!typeOnly && !(packages[folder] ?? [specifier]).includes(specifier)) say('imports at run time')
      if (folder === 'domain' && typeOnly && specifier !== 'viem') say('imports types of')
      continue
    }
    const target = posix.join(posix.dirname(path), specifier)
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

/** '' for a file at the top. */
function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : ''
}
