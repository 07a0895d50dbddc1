// Parses JSON bodies as Fastify does, with a limited depth, and with all digits of numbers beyond 2^53, such as wei amounts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import { bodyDepthMax } from '../limits.ts'

/** The longest number that is parsed digit by digit: 2^256 has 78 digits. */
const sourceCharsMax = 100

type Parsed = (error: Error | null, body?: unknown) => void

/** Numbers that a double can't hold become strings, integers as decimal digits: members in wei accept both. */
export function parseJsonExactly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const parser = (request: FastifyRequest, text: string, done: Parsed) => {
    // Recursive functions such as JSON.stringify overflow the stack on a value that is deep enough.
    if (mayBeDeep(text) && isDeep(text)) {
      return done(
        new RescindError('MALFORMED_JSON', `body: is nested deeper than ${bodyDepthMax} levels; send a flatter one`),
      )
    }
    parse(request, text, (error: Error | null, body?: unknown) => {
      if (error || !holdsLarge(body)) return done(error, body)
      done(null, JSON.parse(text, withExactIntegers))
    })
  }
  app.addContentTypeParser(['application/json', 'application/merge-patch+json'], { parseAs: 'string' }, parser)
}

/** Whether there are enough brackets. Nearly no body has, so that nearly none is read character by character. */
function mayBeDeep(text: string): boolean {
  let count = 0
  for (const bracket of ['[', '{']) {
    let at = text.indexOf(bracket)
    while (at >= 0 && count <= bodyDepthMax) {
      count += 1
      at = text.indexOf(bracket, at + 1)
    }
  }
  return count > bodyDepthMax
}

function isDeep(text: string): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inText) {
      if (character === '\\') at += 1
      else if (character === '"') inText = false
    } else if (character === '"') inText = true
    else if (character === '[' || character === '{') {
      depth += 1
      if (depth > bodyDepthMax) return true
    } else if (character === ']' || character === '}') depth -= 1
  }
  return false
}

function holdsLarge(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLarge)
}

function withExactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER || source === undefined) return value
  return digitsOf(source) ?? source
}

/** `1.5e+21` becomes 1500000000000000000000. Undefined unless it is a natural number below 10^78, in a short notation. */
function digitsOf(source: string): string | undefined {
  if (source.length > sourceCharsMax) return undefined
  const [, whole, decimals = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE]\+?(\d{1,2}))?$/.exec(source) ?? []
  const fraction = decimals.replace(/0+$/, '')
  const zeros = Number(exponent) - fraction.length
  if (whole === undefined || zeros < 0) return undefined
  const digits = whole + fraction + '0'.repeat(zeros)
  return digits.length > 78 ? undefined : digits.replace(/^0+(?=\d)/, '')
}
