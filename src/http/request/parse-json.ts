// Parses JSON bodies as Fastify does, with a limited depth, and with all digits of numbers beyond 2^53, such as wei amounts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import { bodyDepthMax, largeNumbersMax } from '../limits.ts'
import { withExactIntegers } from './exact-integers.ts'

const tooManyLarge = new RescindError(
  'MALFORMED_JSON',
  `body: holds more than ${largeNumbersMax} numbers beyond 2^53; send them as texts`,
)

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
      const large = error ? 0 : countLarge(body)
      if (large === 0) return done(error, body)
      if (large > largeNumbersMax) return done(tooManyLarge)
      done(null, JSON.parse(withExactIntegers(text)))
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
