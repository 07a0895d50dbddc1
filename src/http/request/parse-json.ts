// Parses JSON bodies: their structure is limited before anything parses them, and integers that a double cannot hold stay exact.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import { nextTurn } from '../../ops/clock.ts'
import { excessOfStructure } from '../../ops/count-structure.ts'
import { bodyDepthMax, bodyPartsMax, largeBodyBytesMin, largeNumbersMax } from '../limits.ts'
import { bodyPoints, type RateLimits } from './limit-rate.ts'

/** The longest number that is parsed digit by digit: 2^256 has 78 digits. */
const sourceCharsMax = 100

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** `json` is valid. A reviver of JSON.parse would take ten times as long, and a body may have a million values. */
export function withExactIntegers(json: string): string {
  const parts: string[] = []
  let at = 0
  while (at < json.length) {
    const quote = json.indexOf('"', at)
    parts.push(json.slice(at, quote < 0 ? json.length : quote).replace(number, exactly))
    if (quote < 0) break
    at = behindText(json, quote)
    parts.push(json.slice(quote, at))
  }
  return parts.join('')
}

/** Behind the closing quote of the text that begins at `quote`. */
function behindText(json: string, quote: number): number {
  let end = json.indexOf('"', quote + 1)
  while (isQuoteEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

function isQuoteEscaped(json: string, at: number): boolean {
  let slashes = 0
  while (json[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}

function exactly(source: string): string {
  return Math.abs(Number(source)) > Number.MAX_SAFE_INTEGER ? `"${digitsOf(source) ?? source}"` : source
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

const tooManyLarge = new RescindError(
  'MALFORMED_JSON',
  `body: holds more than ${largeNumbersMax} numbers beyond 2^53; send them as texts`,
)

// Recursive functions such as JSON.stringify overflow the stack on a value that is deep enough.
const tooDeep = new RescindError(
  'MALFORMED_JSON',
  `body: is nested deeper than ${bodyDepthMax} levels; send a flatter one`,
)

const tooManyParts = new RescindError(
  'MALFORMED_JSON',
  `body: has more than ${bodyPartsMax} brackets and commas; send fewer items, or in parts`,
)

const encoded = new RescindError('UNSUPPORTED_MEDIA_TYPE', 'body: is compressed; send it without Content-Encoding')

type Parsed = (error: Error | null, body?: unknown) => void

/** Numbers that a double can't hold become strings, integers as decimal digits: members in wei accept both. */
export function parseJsonExactly(app: FastifyInstance, rates: Pick<RateLimits, 'checkKeyLimit'>): void {
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  const takeTurn = turnsOfKeys()

  function parseNow(request: FastifyRequest, bytes: Buffer, done: Parsed): void {
    const excess = excessOfStructure(bytes, { depthMax: bodyDepthMax, partsMax: bodyPartsMax })
    if (excess) return void done(excess === 'depth' ? tooDeep : tooManyParts)
    const text = bytes.toString('utf8')
    parse(request, text, (error: Error | null, body?: unknown) => {
      const large = error ? 0 : countLarge(body)
      if (large === 0) return done(error, body)
      if (large > largeNumbersMax) return done(tooManyLarge)
      done(null, JSON.parse(withExactIntegers(text)))
    })
  }

  const parser = (request: FastifyRequest, bytes: Buffer, done: Parsed) => {
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') return done(encoded)
    if (bytes.length < largeBodyBytesMin) return parseNow(request, bytes, done)
    const key = request.keyId ?? request.ip
    // Authorization charged a declared length, before it was read.
    const isDeclared = request.headers['content-length'] !== undefined
    const charged = isDeclared ? Promise.resolve() : rates.checkKeyLimit(key, bodyPoints(bytes.length))
    charged
      .then(() => takeTurn(key))
      .then(
        (leave) => {
          leave()
          parseNow(request, bytes, done)
        },
        (refused: Error) => done(refused),
      )
  }
  app.addContentTypeParser(['application/json', 'application/merge-patch+json'], { parseAs: 'buffer' }, parser)
}

/** Large bodies of one key are parsed one at a time, each in a turn of the event loop in which no other of that key is. */
function turnsOfKeys(): (key: string) => Promise<() => void> {
  const last = new Map<string, Promise<void>>()
  return async (key) => {
    const before = last.get(key) ?? Promise.resolve()
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const mine = over.then(nextTurn)
    last.set(key, mine)
    await before
    return () => {
      void mine.then(() => {
        if (last.get(key) === mine) last.delete(key)
      })
      resolve()
    }
  }
}

/** Stops counting at the first beyond `most`. */
function countLarge(value: unknown, most = largeNumbersMax): number {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? 1 : 0
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const member of Object.values(value)) {
    count += countLarge(member, most - count)
    if (count > most) break
  }
  return count
}
