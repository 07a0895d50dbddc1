// A list of RPC URLs from a body. Nothing of a URL is ever repeated: it may hold a provider's key.
import { type Static, Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { type Secret, secretUrl } from '../../ops/secret.ts'
import type { EndpointSettings } from '../../registry/entities.ts'
import { urlCharsMax } from '../limits.ts'

const endpointsMax = 32

const url = Type.String({ maxLength: urlCharsMax, writeOnly: true, examples: ['https://rpc.example'] })

/** In words, as refusals say it. */
export const endpointsWanted = `1 to ${endpointsMax} endpoints, as ["https://…"] or [{"url": "https://…", "weight": 100}], weights 0 to 100`

export const endpointsSchema = Type.Array(
  Type.Union([
    url,
    Type.Object(
      { url, weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })) },
      { additionalProperties: false },
    ),
  ]),
  {
    minItems: 1,
    maxItems: endpointsMax,
    description: endpointsWanted,
  },
)

/** Throws INVALID_REQUEST. A weight of 0 puts an endpoint out of use. */
export function parseEndpoints(field: string, given: Static<typeof endpointsSchema>): readonly EndpointSettings[] {
  const endpoints = given.map((each, index): EndpointSettings => {
    const { url, weight = 100 } = typeof each === 'string' ? { url: each } : each
    return { url: parseUrl(`${field}[${index}]`, url), weight }
  })
  const used = endpoints.filter(({ weight }) => weight > 0)
  if (used.length > 0) return used
  throw new RescindError(
    'INVALID_REQUEST',
    `${field}: every endpoint has weight 0, which puts it out of use; raise one`,
  )
}

/** Throws INVALID_REQUEST. */
export function parseUrl(field: string, text: string): Secret {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return secretUrl(url)
  throw new RescindError(
    'INVALID_REQUEST',
    `${field}: is no http or https URL (not shown: it may hold a key); send "https://…"`,
  )
}
