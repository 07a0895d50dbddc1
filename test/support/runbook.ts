// The pages of the runbook, by their sections.
import { readFile } from 'node:fs/promises'

export const parts = ['What it means', 'What to look at', 'What to do', 'What not to do'] as const

interface RunbookSection {
  /** Of a condition or an alert, without backticks. */
  readonly name: string
  /** The parts by their labels, in their order. */
  readonly parts: readonly (readonly [label: string, text: string])[]
}

export const runbookPages = ['runbook.md', 'alerts.md'] as const

export function readPage(page: string): Promise<string> {
  return readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
}

/** Those under headings of the third level. */
export function sectionsOf(markdown: string): readonly RunbookSection[] {
  return [...markdown.matchAll(/^### (.+)\n([\s\S]*?)(?=^##|$(?![\s\S]))/gm)].map(([, heading = '', body = '']) => ({
    name: heading.replaceAll('`', ''),
    parts: [...body.matchAll(/^- \*\*(.+?)\*\*: ([\s\S]*?)(?=^- |$(?![\s\S]))/gm)].map(([, label = '', text = '']) => [
      label,
      text.trim(),
    ]),
  }))
}
