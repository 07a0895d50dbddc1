// The exit codes of the commands. docs/cli.md lists them.
import { readFile } from 'node:fs/promises'

export const exits = {
  done: 0,
  error: 1,
  usage: 2,
  /** The service answered, and refused. */
  refused: 3,
  /** A cancellation ended with another transaction in the nonce: the original, or a foreign one. */
  lost: 4,
  /** The result is still open. */
  undecided: 5,
  /** A relayer is held up, or would hold up its next send. */
  stuck: 6,
} as const

export type Exit = (typeof exits)[keyof typeof exits]

/** Ends a command with a message for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exit: Exit

  constructor(exit: Exit, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.exit = exit
  }
}

export function usage(message: string): CommandError {
  return new CommandError(exits.usage, message)
}

/** The lines of the page on a code; empty without one that the page has. */
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
