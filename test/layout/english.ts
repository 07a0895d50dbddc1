// Counts phrases that a reader has to decode: headless clauses, and the verbs "tell", "ask", "hear", "know" and "hand over".
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, wordsOf } from './source.ts'
import { sourceFiles } from './source-files.ts'

/** The file, and how often each phrase occurs in it. */
export interface Count {
  readonly path: string
  readonly total: number
  readonly phrases: Readonly<Record<string, number>>
}

const auxiliaries = 'is|are|was|were|has|have|had|can|could|may|must|will|would|does|did|do|needs?|holds?|says?|stands?'

const patterns: Readonly<Record<string, RegExp>> = {
  'what is …': new RegExp(`\\b(?:what|whatever|whichever)\\s+(?:${auxiliaries})\\b`, 'gi'),
  'who has …': new RegExp(`\\bwhoever\\b|\\bwho\\s+(?:${auxiliaries})\\b`, 'gi'),
  'of which': /\bof\s+(?:which|what|whom)\b/gi,
  'forms of tell': /\b(?:tells?|told|telling)\b/gi,
  'forms of ask': /\bask(?:s|ed|ing)?\b/gi,
  'forms of hear': /\b(?:hears?|heard|hearing)\b/gi,
  'forms of know': /\b(?:knows?|knew|known|knowing)\b/gi,
  'hand over': /\bhand(?:s|ed|ing)?(?:\s+(?:\w+\s+){0,2}|-)over\b/gi,
}

export function countPhrases(path: string, text: string): Count {
  const phrases: Record<string, number> = {}
  for (const [name, pattern] of Object.entries(patterns)) phrases[name] = [...text.matchAll(pattern)].length
  return { path, phrases, total: Object.values(phrases).reduce((sum, count) => sum + count, 0) }
}

export function total(counts: readonly Count[]): number {
  return counts.reduce((sum, count) => sum + count.total, 0)
}

/** The prose of a Markdown file: without fenced blocks, code in backticks, and the targets of links. */
export function proseOf(markdown: string): string {
  return markdown
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`]*`/g, '`')
    .replace(/\]\([^)]*\)/g, ']')
}

const paths = /\.{1,2}\/[\w./-]+/g

/** Recorded answers of nodes to a repeated send: their words, not ours. */
const nodeAnswers = /\balready known\b|\bknown transaction\b/gi

/** The text of comments; marks stand where code was, so that no phrase reaches over it. */
export function commentsOf(source: string): string {
  return difference(source, codeOf(source)).replace(/\/\/|\s\*\s/g, ' ')
}

/** The text of string literals and templates, without the paths of imports and the recorded answers of nodes. */
export function stringsOf(source: string): string {
  const code = codeOf(source)
  return difference(code, wordsOf(source)).replace(paths, '').replace(nodeAnswers, '')
}

/** Comments and strings at once. */
function textOf(source: string): string {
  return difference(source, wordsOf(source))
    .replace(/\/\/|\s\*\s/g, ' ')
    .replace(paths, '')
    .replace(nodeAnswers, '')
}

/** A mutant's texts without its edits, which are code of src/. */
export function withoutEdits(source: string): string {
  return source.replace(/\b(file|find|put): (?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/g, "$1: ''")
}

function difference(from: string, without: string): string {
  return [...from.split('')].map((char, at) => (char !== without[at] || /\s/.test(char) ? char : '\u0000')).join('')
}

const root = join(import.meta.dirname, '../..')

/** Rooms beside src/ whose comments and strings are counted; `sim/` has its own budget. */
export const sharedRooms = ['tooling', 'test', 'bench', 'demo'] as const

/** The rule and its samples use the phrases that they count. */
const own = ['layout/english.ts', 'layout/english.test.ts']

/** Comments and strings of a room, file by file, and how many phrases that are in 1,000 lines. */
export async function roomCounts(
  room: string,
): Promise<{ readonly counts: readonly Count[]; readonly inThousandLines: number }> {
  const files = (await sourceFiles(room)).filter(({ path }) => room !== 'test' || !own.includes(path))
  const counts = files.map(({ path, source }) => countPhrases(`${room}/${path}`, textOf(source)))
  const lines = files.reduce((sum, { source }) => sum + source.split('\n').length - 1, 0)
  return { counts, inThousandLines: (total(counts) / lines) * 1_000 }
}

/** README and its neighbors, and every page in docs/. */
export async function documentNames(): Promise<readonly string[]> {
  const pages = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).sort()
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages.map((name) => `docs/${name}`)]
}

export async function documentCounts(): Promise<readonly Count[]> {
  const names = await documentNames()
  return Promise.all(names.map(async (path) => countPhrases(path, proseOf(await readFile(join(root, path), 'utf8')))))
}
