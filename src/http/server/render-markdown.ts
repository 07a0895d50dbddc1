// Renders a page of `docs/` for a browser, with an anchor for each heading: in plain Markdown a link to a section leads nowhere. It
// covers the Markdown that these pages use: headings, paragraphs, lists, tables, fenced code, and links, code and emphasis in a line.

/** A whole document. It loads nothing. */
export function renderMarkdown(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Rescind'
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${inline(title)}</title>
<style>${style}</style>
<main>
${blocks(markdown.split('\n'))}
</main>
</html>
`
}

const style = `
:root { color-scheme: light dark }
main { max-width: 50rem; margin: 1rem auto; padding: 0 1rem 50vh; font: 1rem/1.5 system-ui, sans-serif }
pre { padding: .5rem; border: 1px solid #8886; white-space: pre-wrap }
table { border-collapse: collapse }
code { overflow-wrap: anywhere }
td, th { padding: .2rem .5rem; border: 1px solid #8886; text-align: left; vertical-align: top }
:target { background: #fd46 }
`

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
}

/** The mark of an item of a list. Its further lines are indented by the length of it. */
const itemStart = /^(-|\d+\.) +/

function blocks(lines: readonly string[]): string {
  const parts: string[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const length = lengthOfBlock(lines, at)
    if (line.trim() !== '') parts.push(block(lines.slice(at, at + length)))
    at += length
  }
  return parts.join('\n')
}

function lengthOfBlock(lines: readonly string[], at: number): number {
  const [first = '', ...rest] = lines.slice(at)
  const until = (isEnd: (line: string) => boolean) => {
    const end = rest.findIndex(isEnd)
    return 1 + (end < 0 ? rest.length : end)
  }
  if (first.startsWith('```')) return until((line) => line.startsWith('```')) + 1
  if (first.trim() === '' || first.startsWith('#')) return 1
  if (first.startsWith('|')) return until((line) => !line.startsWith('|'))
  // An item goes on while lines are indented, or empty before such a line.
  if (itemStart.test(first)) return until((line) => line !== '' && !line.startsWith('  ') && !itemStart.test(line))
  return until((line) => line === '' || /^(?:#|\||```)/.test(line) || itemStart.test(line))
}

function block(lines: readonly string[]): string {
  const [first = ''] = lines
  if (first.startsWith('```')) return `<pre><code>${escaped(lines.slice(1, -1).join('\n'))}</code></pre>`
  const [, marks = '', heading = ''] = /^(#+) (.+)$/.exec(first) ?? []
  if (marks !== '') return `<h${marks.length} id="${anchorOf(heading)}">${inline(heading)}</h${marks.length}>`
  if (first.startsWith('|')) return table(lines)
  if (itemStart.test(first)) return list(lines)
  return `<p>${inline(lines.join('\n'))}</p>`
}

function list(lines: readonly string[]): string {
  const starts = lines.flatMap((line, at) => (itemStart.test(line) ? [at] : []))
  const items = starts.map((from, index) => {
    const [first = '', ...rest] = lines.slice(from, starts[index + 1])
    const [mark = ''] = itemStart.exec(first) ?? []
    const indented = rest.map((line) =>
      line.slice(0, mark.length).trim() === '' ? line.slice(mark.length) : line.trim(),
    )
    return `<li>${blocks([first.slice(mark.length), ...indented]).replace(/^<p>([\s\S]*?)<\/p>/, '$1')}</li>`
  })
  const name = lines[0]?.startsWith('-') ? 'ul' : 'ol'
  return `<${name}>\n${items.join('\n')}\n</${name}>`
}

function table(lines: readonly string[]): string {
  const rows = lines
    .filter((line) => !/^\|[\s|:-]+\|$/.test(line) || line === lines[0])
    .map((line, at) => {
      const cells = line
        .replace(/^\|/, '')
        .replace(/\|\s*$/, '')
        .split(/(?<!\\)\|/)
      const name = at === 0 ? 'th' : 'td'
      return `<tr>${cells.map((cell) => `<${name}>${inline(cell.trim().replaceAll('\\|', '|'))}</${name}>`).join('')}</tr>`
    })
  return `<table>\n${rows.join('\n')}\n</table>`
}

function inline(text: string): string {
  const codes: string[] = []
  // Nothing within code is a mark.
  const marked = escaped(text).replaceAll(/`([^`]+)`/g, (_, code: string) => {
    codes.push(`<code>${code}</code>`)
    return `\0${codes.length - 1}\0`
  })
  return marked
    .replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => `<a href="${target}">${words}</a>`)
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/(?<![\w*])([*_])(?=\S)([^*_]+?)\1(?![\w*])/g, '<em>$2</em>')
    .replaceAll(/\0(\d+)\0/g, (_, index: string) => codes[Number(index)] ?? '')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
