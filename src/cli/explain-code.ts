// The sentences of docs/errors.md about a code: when it comes, and what to do.
import { readFile } from 'node:fs/promises'

/** Empty without a code that the page has. */
export async function explainCode(code: string | undefined): Promise<readonly string[]> {
  if (code === undefined) return []
  const page = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8').catch(() => '')
  const [, section = ''] = page.split(`\n## ${code}\n`)
  const [own = ''] = section.split('\n## ')
  return [
    ...firstSentenceOf(own, 'When').map((text) => `  when: ${text}`),
    ...firstSentenceOf(own, 'What to do').map((text) => `  what to do: ${text}`),
  ]
}

function firstSentenceOf(section: string, title: string): readonly string[] {
  const [, found] = section.split(`**${title}**: `)
  const [paragraph] = found?.split('\n\n') ?? []
  if (paragraph === undefined) return []
  const text = paragraph
    .replaceAll('\n', ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
  return [/^.*?[.:](?= [A-Z]|$)/.exec(text)?.[0] ?? text]
}
