// What the pages for operators say there is, to be held against what there is.
import { readFile } from 'node:fs/promises'

const pages = ['configuration', 'networks', 'retention', 'monitoring']

/** Lines of the tables under a heading of one of the pages, by what stands in backticks in their first column. */
export async function documented(heading: string): Promise<readonly string[]> {
  const texts = await Promise.all(
    pages.map((page) => readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')),
  )
  const text = texts.find((each) => each.includes(`\n${heading}\n`))
  if (text === undefined) throw new Error(`none of docs/{${pages.join(',')}}.md has "${heading}"`)
  const from = text.indexOf(`\n${heading}\n`)
  const next = text.indexOf('\n##', from + 1)
  const section = text.slice(from, next < 0 ? undefined : next)
  const names = [...section.matchAll(/^\| (`[^|]+)/gm)].flatMap(([, column = '']) => [...column.matchAll(/`([^`]+)`/g)])
  return names.map(([, name]) => name as string)
}
