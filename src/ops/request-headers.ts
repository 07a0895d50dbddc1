// Headers that the operator adds to the requests of an endpoint: the names and values that are allowed.
import type { EndpointSettings } from '../domain/settings.ts'

export type SecretHeaders = NonNullable<EndpointSettings['headers']>

export const headersMax = 16
export const headerCharsMax = 4_096
/** A token (RFC 9110 §5.6.2). */
export const headerNamePattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$"
/** Every server accepts it: visible ASCII, with spaces and tabs in between (RFC 9110 §5.5). */
export const headerValuePattern = '^[\\x21-\\x7e]([\\t\\x20-\\x7e]*[\\x21-\\x7e])?$'

/** Set by each request itself, or about the connection (RFC 9110 §7.6.1) or the encoding of bodies. */
const reservedHeaders: readonly string[] = [
  ...['content-type', 'content-length', 'content-encoding', 'host', 'accept-encoding', 'expect'],
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'http2-settings'],
]

/** A pattern of the reserved names in any case, for schemas. */
export const reservedHeaderPattern = `^(${reservedHeaders.map(inAnyCase).join('|')})$`

/** A pattern that matches the letters of a pattern in any case. */
export function inAnyCase(name: string): string {
  return name.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

export function isHeaderName(name: string): boolean {
  return new RegExp(headerNamePattern).test(name)
}

export function isReservedHeader(name: string): boolean {
  return reservedHeaders.includes(name.toLowerCase())
}

/** The fault and its fix, without the value; undefined for a valid value. */
export function faultOfHeaderValue(value: string): string | undefined {
  if (value.length > headerCharsMax) return `is longer than ${headerCharsMax} characters; shorten it`
  if (new RegExp(headerValuePattern).test(value)) return undefined
  return 'is empty, begins or ends with a space, or is not ASCII (not shown: it may be a secret); correct it'
}
