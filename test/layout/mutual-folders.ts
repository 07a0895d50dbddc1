// Pairs of folders that import each other: neither can be read before the other. A folder stands for the files right in it.
import { posix } from 'node:path'
import type { SourceFile } from './import-matrix.ts'
import { importsOf } from './source.ts'

/**
 * Pairs that are left: between siblings, or between a folder and one inside it. A parent may import its children, never the
 * reverse. The list may only shrink.
 */
export const mutualFolders: readonly string[] = [
  'chain <-> chain/heads',
  'chain <-> chain/nodes',
  'chain <-> chain/sending',
  'cli <-> cli/check',
  'cli <-> cli/init',
  'signers <-> signers/remote',
  'store <-> store/access',
  'store <-> store/deliveries',
  'store <-> store/events',
  'store <-> store/registry',
  'store <-> store/relayers',
  'store <-> store/reports',
  'store <-> store/transactions/bulk',
  'store <-> store/transactions/counted',
  'store <-> store/transactions/found',
  'store <-> store/transactions/rows',
  'store <-> store/transactions/written',
]

/** Each pair once, sorted; imports of types count. */
export function mutualFoldersOf(files: readonly SourceFile[]): readonly string[] {
  const imports = new Set(
    files.flatMap(({ path, source }) =>
      importsOf(source)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => {
          const folder = posix.dirname(path)
          return wayOf(folder, posix.dirname(posix.join(folder, specifier)))
        }),
    ),
  )
  const pairs = [...imports].filter((way) => {
    const [from = '', to = ''] = way.split(separator)
    return from < to && imports.has(wayOf(to, from))
  })
  return pairs.map((way) => way.replace(separator, ' <-> ')).toSorted()
}

const separator = ' -> '

function wayOf(from: string, to: string): string {
  return `${from}${separator}${to}`
}
