// Parses JSON bodies as Fastify does, with a limited structure, and with all digits of numbers beyond 2^53, such as wei amounts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import { nextTurn } from '../../ops/clock.ts'
import { bodyDepthMax, bodyPartsMax, largeBodyBytesMin, largeNumbersMax } from '../limits.ts'
import { excessOfStructure } from './count-structure.ts'
import { withExactIntegers } from './exact-integers.ts'
import { bodyPoints, type RateLimits } from './limit-rate.ts'

const tooManyLarge = new RescindError(
  'MALFORMED_JSON',
  `body: holds more than ${largeNumbersMax} numbers beyond 2^53; send them as texts`,
)

const excesses = {
  // Recursive functions such as JSON.stringify overflow the stack on a value that is deep enough.
  depth: new RescindError('MALFORMED_JSON', `body: is nested deeper than ${bodyDepthMax} levels; send a flatter one`),
  parts: new RescindError(
    'MALFORMED_JSON',
    `body: has more than ${bodyPartsMax} brackets and commas; send fewer items, or in parts`,
  ),
} as const

type Parsed = (error: Error | null, body?: unknown) => void

/** Numbers that a double can't hold become strings, integers as decimal digits: members in wei accept both. */
export function parseJsonExactly(app: FastifyInstance, rates: Pick<RateLimits, 'checkKeyLimit'>): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const takeTurn = turnsOfKeys()

  function parseNow(request: FastifyRequest, bytes: Buffer, done: Parsed): void {
    const excess = excessOfStructure(bytes, { depthMax: bodyDepthMax, partsMax: bodyPartsMax })
    if (excess) {
      done(excesses[excess])
      return
    }
    const text = bytes.toString('utf8')
    parse(request, text, (error: Error | null, body?: unknown) => {
      const large = error ? 0 : countLarge(body)
      if (large === 0) return done(error, body)
      if (large > largeNumbersMax) return done(tooManyLarge)
      done(null, JSON.parse(withExactIntegers(text)))
    })
  }

  const parser = (request: FastifyRequest, bytes: Buffer, done: Parsed) => {
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
