// What docs/operations.md says there is, to be held against what there is.
import { readFile } from 'node:fs/promises'

/** Lines of the tables under a heading, by what stands in backticks in their first column. */
export async function documented(heading: string): Promise<readonly string[]> {
  const text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const from = text.indexOf(`\n${heading}\n`)
  if (from < 0) throw new Error(`docs/operations.md has no "${heading}"`)
  const next = text.indexOf('\n##', from + 1)
  const section = text.slice(from, next < 0 ? undefined : next)
  const names = [...section.matchAll(/^\| (`[^|]+)/gm)].flatMap(([, column = '']) => [...column.matchAll(/`([^`]+)`/g)])
  return names.map(([, name]) => name as string)
}
