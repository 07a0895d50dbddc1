// Pages for browsers: every word of the Markdown, and an anchor for each heading.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/http/server/render-markdown.ts'
import { documentNames } from '../../layout/document-names.ts'

const bodyOf = (markdown: string) => /<main>\n([\s\S]*)\n<\/main>/.exec(renderMarkdown(markdown))?.[1]

test.each([
  [
    'a heading',
    '## The `--x` of [it](a.md)',
    '<h2 id="the---x-of-it">The <code>--x</code> of <a href="a.md">it</a></h2>',
  ],
  ['a paragraph', 'one\ntwo', '<p>one\ntwo</p>'],
  ['emphasis', '**a** _b_ *c* d_e_f 2*3*4', '<p><strong>a</strong> <em>b</em> <em>c</em> d_e_f 2*3*4</p>'],
  ['code with marks', '`**a** <b> [c](d)`', '<p><code>**a** &lt;b&gt; [c](d)</code></p>'],
  ['fenced code', '```sh\n# a\n\n<b>\n```\nend', '<pre><code># a\n\n&lt;b&gt;</code></pre>\n<p>end</p>'],
  ['a list', '- a\n  b\n- c', '<ul>\n<li>a\nb</li>\n<li>c</li>\n</ul>'],
  ['a list in a list', '1. a\n\n   - b\n\n2. c', '<ol>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n<li>c</li>\n</ol>'],
  ['code in a list', '1. a\n\n   ```sh\n   b\n   ```', '<ol>\n<li>a\n<pre><code>b</code></pre></li>\n</ol>'],
  [
    'a table',
    '| a | b |\n|---|---|\n| `c` | d |',
    '<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td><code>c</code></td><td>d</td></tr>\n</table>',
  ],
])('%s', (_, markdown, html) => {
  expect(bodyOf(markdown)).toBe(html)
})

test('no word of any page is lost', async () => {
  for (const name of await documentNames()) {
    const markdown = await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8')
    const plain = markdown.replaceAll(/\]\([^)\s]+\)/g, ']').replaceAll(/^ *(?:\d+\. |```.*$)/gm, '')
    const shown = (bodyOf(markdown) ?? '').replaceAll(/<[^>]*>/g, ' ').replaceAll(/&(?:amp|lt|gt|quot);/g, ' ')
    expect([name, wordsOf(shown)]).toEqual([name, wordsOf(plain)])
  }
})

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}
