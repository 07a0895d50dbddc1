// npm run size: how large src/ is, by folder: files, lines, and KiB as esbuild minifies each file. Comments and names of local variables
// cost lines, but no KiB, so that neither figure can be lowered by what readers need.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stdout } from 'node:process'
import { transformSync } from 'esbuild'

const source = join(import.meta.dirname, '../src')

interface Size {
  readonly files: number
  readonly lines: number
  readonly bytes: number
}

function sizeOf(path: string): Size {
  const text = readFileSync(join(source, path), 'utf8')
  const { code } = transformSync(text, { loader: path.endsWith('x') ? 'tsx' : 'ts', minify: true })
  return { files: 1, lines: text.split('\n').length - 1, bytes: Buffer.byteLength(code) }
}

function total(sizes: readonly Size[]): Size {
  const sum = (member: keyof Size) => sizes.reduce((total, size) => total + size[member], 0)
  return { files: sum('files'), lines: sum('lines'), bytes: sum('bytes') }
}

function row(folder: string, { files, lines, bytes }: Size): string {
  const kibibytes = (bytes / 1024).toFixed(1)
  return `${folder.padEnd(28)}${String(files).padStart(6)}${String(lines).padStart(8)}${kibibytes.padStart(9)}`
}

/** The room, and the folder below it where it has some: `store/transactions`. Files beside the rooms belong to `src`. */
function foldersOf(path: string): readonly string[] {
  const folders = path.split('/').slice(0, -1)
  if (folders.length === 0) return ['src']
  return folders.length === 1 ? folders : [folders[0] ?? '', folders.slice(0, 2).join('/')]
}

const sizes = globSync('**/*.{ts,tsx}', { cwd: source }).map((path) => ({ path, size: sizeOf(path) }))
const byFolder = Map.groupBy(
  sizes.flatMap(({ path, size }) => foldersOf(path).map((folder) => ({ folder, size }))),
  ({ folder }) => folder,
)

const header = `${'folder'.padEnd(28)}${'files'.padStart(6)}${'lines'.padStart(8)}${'KiB'.padStart(9)}`
const folders = [...byFolder.keys()].toSorted().map((folder) => {
  const indent = folder.includes('/') ? '  ' : ''
  return row(indent + folder, total((byFolder.get(folder) ?? []).map(({ size }) => size)))
})
stdout.write(`${[header, ...folders, row('all', total(sizes.map(({ size }) => size)))].join('\n')}\n`)
