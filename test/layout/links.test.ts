// Each link of a document to a file of the repository leads to one that exists, and each anchor to a heading of it.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { documentNames } from './document-names.ts'

const root = join(import.meta.dirname, '../..')

const withoutExamples = (markdown: string) => markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, '')

/** As GitHub and the service make them, of each heading in turn. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...withoutExamples(markdown).matchAll(/^#+ (.+)$/gm)].map(([, words = '']) => words)
  const plain = headings.map((words) => words.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase())
  return new Set(plain.map((words) => words.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')))
}

/** `path#anchor`, either of which may be empty. Links to other hosts are left out. */
function linksOf(markdown: string): readonly string[] {
  const targets = [...withoutExamples(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => !/^(?:https?|mailto):/.test(target))
}

test('every link leads to a file and a heading that exist', async () => {
  const broken: string[] = []
  for (const document of await documentNames()) {
    for (const link of linksOf(await readFile(join(root, document), 'utf8'))) {
      const [path = '', anchor = ''] = link.split('#')
      const target = path ? normalize(join(dirname(document), path)) : document
      const found = existsSync(join(root, target))
      const isThere = found && (!anchor || anchorsOf(await readFile(join(root, target), 'utf8')).has(anchor))
      if (!isThere) broken.push(`${document}: ${link}`)
    }
  }
  expect(broken).toEqual([])
})

test('anchors are those of headings, and none of examples', () => {
  const page = '# One\n\n```sh\n# no heading\n```\n\n## `relayers[].policies`\n\n### Holds, and more\n'
  expect([...anchorsOf(page)]).toEqual(['one', 'relayerspolicies', 'holds-and-more'])
})
