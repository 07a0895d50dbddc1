// Draws the rooms of src/ and the imports between them for docs/architecture.md: `node test/layout/draw-rooms.ts` writes the picture.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ruleOf, type SourceFile } from './import-matrix.ts'
import { importsOf } from './source.ts'
import { sourceFiles } from './source-files.ts'

const document = join(import.meta.dirname, '../../docs/architecture.md')
const picture = /```mermaid\nflowchart[\s\S]*?```/

/** Nearly every room imports these two: their arrows would hide the others. */
const everywhere = ['domain', 'ops']

/** A Mermaid diagram. A dotted arrow: the import matrix allows single files of that room, which are ports or plain values. */
export function drawRooms(files: readonly SourceFile[]): string {
  const arrows = new Map<string, boolean>()
  for (const { path, source } of files) {
    for (const { specifier } of importsOf(source)) {
      if (!specifier.startsWith('.')) continue
      const target = posix.join(posix.dirname(path), specifier)
      const [from, to] = [roomOf(path), roomOf(target)]
      if (from === to || everywhere.includes(to) || from === 'version' || to === 'version') continue
      const arrow = `${from} ${to}`
      const isWhole = target.includes('/') ? ruleOf(path)?.includes(to) : true
      arrows.set(arrow, (arrows.get(arrow) ?? false) || isWhole === true)
    }
  }
  const lines = [...arrows].map(([arrow, isWhole]) => `  ${arrow.replace(' ', isWhole ? ' --> ' : ' -.-> ')}`)
  return ['```mermaid', 'flowchart TB', ...lines.sort(), '```'].join('\n')
}

/** A folder, or a file at the top; `compose-….ts` belong to `compose`. */
function roomOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : path.replace(/(?:-.*)?\.tsx?$/, '')
}

export function pictureIn(markdown: string): string | undefined {
  return picture.exec(markdown)?.[0]
}

if (import.meta.main) {
  const markdown = readFileSync(document, 'utf8')
  writeFileSync(document, markdown.replace(picture, drawRooms(await sourceFiles())))
}
