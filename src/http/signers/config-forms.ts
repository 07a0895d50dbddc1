// The forms of a signer's settings, for the OpenAPI document.
import { inAnyCase } from '../../ops/request-headers.ts'
import { forms } from '../request/stated.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export const { none } = forms
/** Not read by the parser of this way to log in. */
export const unread = { description: 'not read' }

/** Not blank, and without U+0000, which PostgreSQL can't store. */
export const text = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
  description,
  ...more,
})

export const formed = (description: string, pattern: string, example: string): JsonSchema =>
  text(description, { pattern, examples: [example] })

export const secret = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  pattern: '\\S',
  writeOnly: true,
  description,
  ...more,
})

/** Null stands for an absent member. */
export const orNone = ({ type, ...schema }: JsonSchema): JsonSchema => ({ ...schema, type: [type, 'null'] })

/** Members whose names end with `?` may be absent. */
export function object(
  title: string,
  members: Readonly<Record<string, JsonSchema>>,
  more: JsonSchema = {},
): JsonSchema {
  const properties = Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema])
  const required = Object.keys(members).filter((name) => !name.endsWith('?'))
  return {
    ...{ title, type: 'object', required, properties: Object.fromEntries(properties) },
    ...{ additionalProperties: false, ...more },
  }
}

const pathOnly = '([/\\\\][^\\s?#]*)?[?]?#?$'

function url(description: string, scheme: string, host: string, example: string): JsonSchema {
  const pattern = `^${inAnyCase(scheme)}://${host}${pathOnly}`
  return text(`${description}: a URL without user, query and fragment`, {
    ...{ pattern, format: 'http-url', examples: [example] },
  })
}

const anyHost = '[^\\s/?#@\\\\]+'

export const serverUrl = (description: string, example: string) => url(description, 'https?', anyHost, example)
export const safeUrl = (description: string, example: string) => url(description, 'https', anyHost, example)

const suffix = inAnyCase('\\.(vault|managedhsm)\\.(azure\\.net|azure\\.cn|usgovcloudapi\\.net)')

/** Where a token of this machine may go. */
export const azureUrl = (description: string, example: string) =>
  url(description, 'https', `[^\\s/?#@\\\\:]*${suffix}(:[0-9]+)?`, example)

export const publicKey = {
  ...text('of secp256k1: 33, 64 or 65 bytes in hex, with or without 0x', { format: 'secp256k1-public-key' }),
  examples: ['0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'],
}
