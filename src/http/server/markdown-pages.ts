// The pages of `docs/` as plain Markdown, for programs that read them, and their list (llmstxt.org). They are those of this version.
import { readdir, readFile } from 'node:fs/promises'
import { basePath } from '../request/path-of.ts'

/** The pages outside `docs/`. `docs/index.md` lists those in it. */
const ofRoot = ['README.md', 'CHANGELOG.md']

/** The pages by name, such as `api.md`. `root`: of the package. Throws if it has no `docs/`. */
export async function readPages(root: URL): Promise<ReadonlyMap<string, string>> {
  const ofDocs = (await readdir(new URL('docs/', root))).filter((name) => name.endsWith('.md')).sort()
  const names = [...ofRoot, ...ofDocs]
  const texts = await Promise.all(
    names.map((name) => readFile(new URL(ofRoot.includes(name) ? name : `docs/${name}`, root), 'utf8')),
  )
  return new Map(names.map((name, at) => [name, servedText(texts[at] ?? '', new Set(names))]))
}

/** Links between pages follow their addresses here. Of a link to anything else, and of a picture, the words stay. */
function servedText(text: string, names: ReadonlySet<string>): string {
  return text
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, '(picture: $1)')
    .replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, words: string, target: string) => {
      if (/^(?:#|https?:)/.test(target)) return link
      const [path = '', anchor] = target.replace(/^(?:\.\.\/|docs\/)/, '').split('#')
      if (!names.has(path)) return words
      return `[${words}](${path}${anchor === undefined ? '' : `#${anchor}`})`
    })
}

/** The list of the pages, each with its title and its line of `index.md`. `at`: where they are served. */
export function listPages(pages: ReadonlyMap<string, string>, at: string): string {
  const readme = pages.get('README.md') ?? ''
  const index = pages.get('index.md') ?? ''
  const lineOf = new Map(
    [...index.matchAll(/^\| \[[^\]]*\]\(([^)]+)\) \| (.+?) \|$/gm)].map(([, name, line]) => [name, line]),
  )
  const lines = [...pages]
    .filter(([name]) => name !== 'README.md')
    .map(
      ([name, text]) => `- [${titleOf(text) ?? name}](${at}${name})${lineOf.has(name) ? `: ${lineOf.get(name)}` : ''}`,
    )
  return [
    '# Rescind',
    '',
    `> ${firstParagraphOf(readme)}`,
    '',
    `- [README](${at}README.md): ${lineOf.get('README.md')}`,
    `- [OpenAPI](${basePath}/openapi.json): every operation`,
    '',
    '## Pages',
    '',
    ...lines,
    '',
  ].join('\n')
}

function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1]
}

function firstParagraphOf(text: string): string {
  const paragraphs = text.split(/\n{2,}/).map((each) => each.replaceAll(/\s+/g, ' ').trim())
  return paragraphs.find((each) => /^[A-Za-z]/.test(each)) ?? ''
}
