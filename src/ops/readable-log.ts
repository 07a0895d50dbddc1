// Log lines for people at a terminal: time, level, message, then the facts as JSON. JSON keeps control characters escaped,
// so a text from a client can't command the terminal.
import type { DestinationStream } from 'pino'

const colors: Readonly<Record<string, string>> = { error: '31', warn: '33', debug: '2' }

/** `write` gets whole lines. `isColored`: see https://no-color.org. */
export function readableLog(write: (line: string) => unknown, isColored: boolean): DestinationStream {
  return { write: (line) => void write(readable(line, isColored)) }
}

function readable(line: string, isColored: boolean): string {
  const { level, time, msg, err, ...facts } = parsed(line)
  if (typeof level !== 'string' || typeof time !== 'string' || typeof msg !== 'string') return line
  const color = isColored ? colors[level] : undefined
  const word = level.toUpperCase().padEnd(5)
  const shown = Object.entries(facts).map(([name, value]) => `${name}=${escaped(value)}`)
  const cause = err === undefined ? [] : [`err=${escaped(err)}`]
  const head = `${time.slice(11, 23)} ${color === undefined ? word : `\x1b[${color}m${word}\x1b[0m`}`
  return `${[head, escaped(msg).slice(1, -1).replaceAll('\\"', '"'), ...shown, ...cause].join(' ')}\n`
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(line)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function escaped(value: unknown): string {
  return withoutControls(JSON.stringify(value) ?? 'undefined')
}

/**
 * Characters that JSON keeps: DEL, the C1 controls, Unicode's line ends and its marks of direction. They arrive in ids and
 * texts of unauthenticated clients.
 */
const controls = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The JSON value with the characters escaped that a terminal obeys or reorders. */
export function withoutControls(json: string): string {
  return json.replace(controls, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
