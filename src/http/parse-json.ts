// JSON bodies as Fastify parses them, but not too deep, and numbers beyond 2^53 without losing a digit: wei amounts are such.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RescindError } from '../domain/errors.ts'
import { bodyDepthMax } from './limits.ts'

/** A bare number of 16 digits or more, or with an exponent. Bounded, so that no body makes it slow. */
const mayBeLarge = /[:,[\s](?:\d{16}|\d{1,15}(?:\.\d{1,40})?[eE])/
/** As many brackets as a body that is too deep must have, at least: few have, so that few are looked at closely. */
const mayBeDeep = new RegExp(`(?:[[{][^[{]*){${bodyDepthMax + 1}}`)

type Parsed = (error: Error | null, body?: unknown) => void

/** Numbers that a double can't hold become text, integers their decimal digits: what takes wei takes both. */
export function parseJsonExactly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const parser = (request: FastifyRequest, text: string, done: Parsed) => {
    // Whoever walks a value by recursion, as JSON.stringify does, falls over one that is deep enough.
    if (mayBeDeep.test(text) && isDeep(text)) {
      return done(
        new RescindError('MALFORMED_JSON', `body: is nested deeper than ${bodyDepthMax} levels; send a flatter one`),
      )
    }
    parse(request, text, (error: Error | null, body?: unknown) => {
      if (error || !mayBeLarge.test(text)) return done(error, body)
      done(null, JSON.parse(text, withExactIntegers as (key: string, value: unknown) => unknown))
    })
  }
  app.addContentTypeParser(['application/json', 'application/merge-patch+json'], { parseAs: 'string' }, parser)
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

function withExactIntegers(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER || source === undefined) return value
  return digitsOf(source) ?? source
}

/** `1.5e+21` is 1500000000000000000000; undefined for what is no natural number below 10^78. */
function digitsOf(source: string): string | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+?)0*)?(?:[eE]\+?(\d{1,2}))?$/.exec(source) ?? []
  const zeros = Number(exponent) - fraction.replace(/^0$/, '').length
  const digits = whole + fraction.replace(/^0$/, '') + '0'.repeat(Math.max(0, zeros))
  return whole === '' || zeros < 0 || digits.length > 78 ? undefined : digits.replace(/^0+(?=\d)/, '')
}
