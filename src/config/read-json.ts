// A JSON file into a value. Integers too large for a double come out as bigint, so that no wei is lost.
import { readFile } from 'node:fs/promises'
import type { Report } from './report.ts'

/**
 * Reads a JSON file. Undefined when it can't be read or is no JSON: the report says so, and quotes nothing of the file.
 * `missing` says what to do where the file does not exist.
 */
export async function readJson(path: string, shownAs: string, report: Report, missing?: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const code = fileErrorCode(error)
    const hint = code === 'ENOENT' ? missing : undefined
    report.problem(shownAs, `can't be read (${code}); ${hint ?? hints[code] ?? 'check the path'}`)
    return undefined
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''), exactIntegers)
  } catch (error) {
    report.problem(shownAs, `is not valid JSON${whereabouts(text, error)}; correct it there`)
    return undefined
  }
}

const hints: Record<string, string> = {
  ENOENT: 'create it, or set CONFIG_DIR and CONFIG_FILE_NAME to where it is',
  EACCES: 'let the user that runs the service read it',
}

export function fileErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

function exactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isLarge = typeof value === 'number' && Number.isFinite(value) && !Number.isSafeInteger(value)
  return isLarge && context?.source !== undefined ? (exactInteger(context.source) ?? value) : value
}

/**
 * The number that stands in the file, where it is whole: JSON Schema counts `1e21` and `25.0` among the integers, too
 * (JSON Schema 2020-12, 4.2.3). `source` is finite as a double, so its exponent stays below 309.
 */
function exactInteger(source: string): bigint | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = BigInt(whole + fraction)
  const places = Number(exponent) - fraction.length
  if (places >= 0) return digits * 10n ** BigInt(places)
  const unit = 10n ** BigInt(-places)
  return digits % unit === 0n ? digits / unit : undefined
}

/** The parser's own message may quote the file, and the file may hold a secret: only the position is taken from it. */
function whereabouts(text: string, error: unknown): string {
  const position = error instanceof Error && /\(line (\d+) column (\d+)\)/.exec(error.message)
  if (position) return ` at line ${position[1]}, column ${position[2]}`
  if (!isUnexpectedToken(text)) return ''
  // This kind of error comes without a position: it is at the end of the shortest beginning that has it too.
  let [good, bad] = [0, text.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isUnexpectedToken(text.slice(0, middle))) bad = middle
    else good = middle
  }
  const lines = text.slice(0, bad).split('\n')
  return ` at line ${lines.length}, column ${lines.at(-1)?.length}`
}

function isUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return error instanceof Error && error.message.startsWith('Unexpected token')
  }
}
