// Output of a command: data to stdout, messages and progress to stderr, and questions to a person.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Client } from '../client/client.ts'
import { withoutControls } from '../ops/readable-log.ts'

export interface CommandLife {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory: string
  /** Aborts on the first signal. */
  readonly stop: AbortSignal
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  /** Called with the connection of a command. */
  readonly onConnect?: (client: Client) => void
}

const codes = { red: 31, green: 32, yellow: 33, gray: 90 } as const
export type Color = keyof typeof codes

export interface Terminal {
  /** Whether a person can answer questions. */
  readonly isInteractive: boolean
  /** An empty screen for the next lines; only where stdout is a terminal. */
  clear(): void
  /** One line of data. */
  print(line: string): void
  printJson(value: unknown): void
  /** The value as JSON with `--json`, else lines for people. */
  show(options: { readonly json?: true }, value: unknown, lines: () => readonly string[]): void
  /** A message for people. */
  say(line: string): void
  /** Shown in place of the progress before it; only where stderr is a terminal. */
  progress(line: string): void
  endProgress(): void
  /** Colored where stdout is a terminal and NO_COLOR is unset. */
  paint(color: Color, text: string): string
  ask(question: string): Promise<string>
  /** Reads an answer without an echo. */
  askSecret(question: string): Promise<string>
}

export function openTerminal({ env, stdin, stdout, stderr, stop }: CommandLife): Terminal {
  const { NO_COLOR: noColor = '' } = env
  const isColored = stdout.isTTY === true && noColor === ''
  let hasProgress = false

  function endProgress(): void {
    if (hasProgress) stderr.write('\r\x1b[K')
    hasProgress = false
  }

  async function ask(question: string, isSecret: boolean): Promise<string> {
    endProgress()
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    if (isSecret) stderr.write(question)
    const lines = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: stdin.isTTY === true })
    try {
      return (await lines.question(isSecret ? '' : question, { signal: stop })).trim()
    } finally {
      if (isSecret) stderr.write('\n')
      lines.close()
    }
  }

  function print(line: string): void {
    endProgress()
    stdout.write(`${line}\n`)
  }

  const printJson = (value: unknown) => print(withoutControls(JSON.stringify(value, undefined, 2)))

  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    clear() {
      if (stdout.isTTY === true) stdout.write('\x1b[H\x1b[2J\x1b[3J')
    },
    print,
    printJson,
    show({ json }, value, lines) {
      if (json) printJson(value)
      else for (const line of lines()) print(line)
    },
    say(line) {
      endProgress()
      stderr.write(`${line}\n`)
    },
    progress(line) {
      if (stderr.isTTY !== true) return
      stderr.write(`\r\x1b[K${line}`)
      hasProgress = true
    },
    endProgress,
    paint: (color, text) => (isColored ? `\x1b[${codes[color]}m${text}\x1b[0m` : text),
    ask: (question) => ask(question, false),
    askSecret: (question) => ask(question, true),
  }
}

/** Characters that a terminal obeys or reorders: texts come from clients of the service, and from nodes. */
const obeyed = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

export function plain(text: string): string {
  return text.replace(obeyed, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
