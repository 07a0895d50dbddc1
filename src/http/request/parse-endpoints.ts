// Parses a list of endpoints. No error repeats a URL or a header: it may hold a provider's key.

import { type Static, Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { type EndpointSettings, providerCharsMax } from '../../domain/settings.ts'
import { httpUrl, httpUrlPattern } from '../../ops/http-url.ts'
import {
  headerCharsMax,
  headerNamePattern,
  headersMax,
  headerValuePattern,
  isReservedHeader,
  reservedHeaderPattern,
  type SecretHeaders,
} from '../../ops/request-headers.ts'
import { type Secret, secret, secretUrl } from '../../ops/secret.ts'
import { urlCharsMax } from '../limits.ts'
import { closed, optionalInteger } from '../response/forms.ts'
import { headerMask } from '../response/present-values.ts'
import { stated } from './stated.ts'

const endpointsMax = 32

const url = Type.String({
  maxLength: urlCharsMax,
  format: 'http-url',
  writeOnly: true,
  examples: ['https://rpc.example'],
  ...stated({ pattern: httpUrlPattern }),
})

const headerValue = {
  type: 'string',
  maxLength: headerCharsMax,
  pattern: headerValuePattern,
  writeOnly: true,
  examples: ['a-key'],
}

const provider = Type.String({
  minLength: 1,
  maxLength: providerCharsMax,
  description: 'who runs it, where the host does not show that: endpoints of one provider are one witness',
  examples: ['one'],
})

/** A weight of 0 puts an endpoint out of use. */
const isUsed = {
  anyOf: [{ type: 'string' }, { type: 'object', not: { required: ['weight'], properties: { weight: { enum: [0] } } } }],
}

const headers = Type.Record(Type.String({ pattern: headerNamePattern }), Type.String(headerValue), {
  additionalProperties: false,
  maxProperties: headersMax,
  ...stated({
    propertyNames: { pattern: headerNamePattern, not: { pattern: reservedHeaderPattern } },
    additionalProperties: { ...headerValue, not: { enum: [headerMask] } },
  }),
  description: `sent with each request to the endpoint: ${headersMax} headers at most, each a text of ASCII; not content-type, host, content-length, or headers about the connection`,
})

/** The form of the list, in the words of a refusal. */
export const endpointsWanted = `1 to ${endpointsMax} endpoints, as ["https://…"] or [{"url": "https://…", "weight": 100, "headers": {"x-api-key": "…"}}], weights 0 to 100`

export const endpointsSchema = Type.Array(
  Type.Union([
    url,
    closed('EndpointRequest')({
      url,
      weight: optionalInteger({ minimum: 0, maximum: 100 }),
      provider: Type.Optional(provider),
      headers: Type.Optional(headers),
    }),
  ]),
  {
    minItems: 1,
    maxItems: endpointsMax,
    description: endpointsWanted,
    ...stated({ contains: isUsed, description: `${endpointsWanted}, at least one above 0` }),
  },
)

/** Throws INVALID_REQUEST. A weight of 0 disables an endpoint. */
export function parseEndpoints(field: string, given: Static<typeof endpointsSchema>): readonly EndpointSettings[] {
  const endpoints = given.map((each, index): EndpointSettings => {
    const at = `${field}[${index}]`
    const { url, weight = 100, provider, headers } = typeof each === 'string' ? { url: each } : each
    refuseWebSocket(at, url)
    return {
      url: parseUrl(at, url),
      weight,
      ...(provider !== undefined && { provider }),
      ...(headers && { headers: parseHeaders(`${at}.headers`, headers) }),
    }
  })
  const used = endpoints.filter(({ weight }) => weight > 0)
  if (used.length > 0) return used
  throw new RescindError(
    'INVALID_REQUEST',
    `${field}: every endpoint has weight 0, which puts it out of use; raise one`,
  )
}

function refuseWebSocket(field: string, url: string): void {
  if (!/^\s*wss?:/i.test(url)) return
  const fault = 'is a WebSocket URL (not shown: it may hold a key)'
  throw new RescindError('INVALID_REQUEST', `${field}: ${fault}; send the http or https URL of the same provider`)
}

function parseHeaders(field: string, given: Static<typeof headers>): SecretHeaders {
  const parsed = new Map<string, Secret>()
  for (const [name, value] of Object.entries(given)) {
    const refuse = (fault: string) => new RescindError('INVALID_REQUEST', `${field}.${name}: ${fault}`)
    const key = name.toLowerCase()
    if (isReservedHeader(name)) throw refuse('is set by the service for each request; leave it out')
    if (parsed.has(key)) throw refuse('is there twice, as upper and lower case are one; leave one of the two out')
    if (value === headerMask) throw refuse('is the mask that answers show in place of the value; send the value')
    parsed.set(key, secret(value))
  }
  return Object.fromEntries(parsed)
}

/** Throws INVALID_REQUEST. */
export function parseUrl(field: string, text: string): Secret {
  const url = httpUrl(text)
  if (url) return secretUrl(url)
  throw new RescindError(
    'INVALID_REQUEST',
    `${field}: is no http or https URL (not shown: it may hold a key); send "https://…"`,
  )
}
