// Rules that a parser enforces and the OpenAPI document states. The validator of a schema passes over them: a parser's refusal
// names the fix, and a validator's could name a keyword only.

export const statedKey = 'x-stated'

/** A part of a schema. In the document these keywords count before those beside them. */
export function stated(keywords: object) {
  return { [statedKey]: keywords }
}

export const aloneKey = 'x-stated-alone'

/** A part of a schema. In the document these keywords count in place of those beside them. */
export function statedAlone(keywords: object) {
  return { [aloneKey]: keywords }
}

export const unlistedKey = 'x-unlisted'

/** A member that validates, and that the document and refusals leave out. */
export function unlisted() {
  return { [unlistedKey]: true }
}

export const bodyOptionalKey = 'x-body-optional'

/** Marks a whole body as optional: a request without one counts as one without members. */
export function bodyOptional() {
  return { [bodyOptionalKey]: true }
}

/**
 * Formats of this API, for what no keyword can say: a checksum, a URL, a bound beyond the numbers of JSON. `none` is null, or
 * absent.
 */
export const forms = {
  address: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', format: 'eip55-address' },
  none: { type: 'null' },
} as const

/** The two forms of an amount in a body. */
export function weiForms(min: 0 | 1 = 0) {
  return [
    { type: 'integer', minimum: min, exclusiveMaximum: 2 ** 256 },
    {
      type: 'string',
      // Without a look-ahead, which generators of clients do not support.
      ...(min === 0 ? { pattern: '^[0-9]{1,78}$' } : { pattern: '^0*[1-9][0-9]*$', maxLength: 78 }),
      format: 'uint256',
      examples: ['100000000000'],
    },
  ] as const
}
