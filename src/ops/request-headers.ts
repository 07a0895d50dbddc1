// Headers that whoever runs the service adds to the requests of an endpoint: which names are free, and what a value may be.
import type { Secret } from './secret.ts'

/** By name in lower case. A value may be a provider's key, and counts as secret whatever it is. */
export type SecretHeaders = Readonly<Record<string, Secret>>

export const headersMax = 16
export const headerCharsMax = 4_096
/** A token (RFC 9110 §5.6.2). */
export const headerNamePattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$"
/** What every server takes: visible ASCII, and between it spaces and tabs (RFC 9110 §5.5). */
export const headerValuePattern = '^[\\x21-\\x7e]([\\t\\x20-\\x7e]*[\\x21-\\x7e])?$'

/** What each request sets by itself, and what is about a connection (RFC 9110 §7.6.1) or how the bodies are packed. */
const reserved: readonly string[] = [
  ...['content-type', 'content-length', 'content-encoding', 'host', 'accept-encoding', 'expect'],
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'http2-settings'],
]

export function isHeaderName(name: string): boolean {
  return new RegExp(headerNamePattern).test(name)
}

/** Whether the service sets it for each request itself. */
export function isReservedHeader(name: string): boolean {
  return reserved.includes(name.toLowerCase())
}

/** In words, with the fix, and nothing of the value; undefined for one that can be sent. */
export function faultOfHeaderValue(value: string): string | undefined {
  if (value.length > headerCharsMax) return `is longer than ${headerCharsMax} characters; shorten it`
  if (new RegExp(headerValuePattern).test(value)) return undefined
  return 'is empty, begins or ends with a space, or is not ASCII (not shown: it may be a secret); correct it'
}
