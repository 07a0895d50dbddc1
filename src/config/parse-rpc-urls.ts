// RPC endpoints: each URL is a secret, as a provider's key may be part of it.
import { defined } from '../domain/defined.ts'
import { type EndpointSettings, providerCharsMax } from '../domain/settings.ts'
import { httpUrl } from '../ops/http-url.ts'
import {
  faultOfHeaderValue,
  headersMax,
  isHeaderName,
  isReservedHeader,
  type SecretHeaders,
} from '../ops/request-headers.ts'
import type { RefuseRpcHost } from '../ops/rpc-hosts.ts'
import { type Secret, secret, secretUrl } from '../ops/secret.ts'
import { kindOf, type Members, readMembers } from './members.ts'
import { type Environment, readReference } from './read-reference.ts'
import type { Report } from './report.ts'

/** The context of a URL beside the file. */
export interface UrlSource {
  readonly env: Environment
  readonly refuseHost: RefuseRpcHost
}

/** Texts, `{ url, weight, provider, headers }`, or references to a variable, as a URL may hold a provider's key. */
export function parseRpcUrls(
  owner: Members,
  name: string,
  source: UrlSource,
  report: Report,
): readonly EndpointSettings[] {
  const example = `write ["https://…"], [{ "url": "https://…", "weight": 100 }] or [{ "type": "env", "value": "RPC_URL" }]`
  const value = owner.raw(name)
  if (!Array.isArray(value) || value.length === 0) {
    const fault = Array.isArray(value) ? 'is empty' : `is ${kindOf(value ?? undefined)}`
    report.problem(owner.place(name), `${fault}; ${example}`)
    return []
  }
  const endpoints = value.map((_, index) => parseRpcUrl(owner, name, index, source, report))
  const used = endpoints.filter((endpoint) => endpoint !== undefined).filter(({ weight }) => weight > 0)
  if (used.length === 0 && endpoints.every((endpoint) => endpoint !== undefined)) {
    report.problem(owner.place(name), 'every endpoint has weight 0, which puts it out of use; raise one to 100')
  }
  return used
}

function parseRpcUrl(
  owner: Members,
  name: string,
  index: number,
  source: UrlSource,
  report: Report,
): EndpointSettings | undefined {
  const place = `${owner.place(name)}[${index}]`
  const item = owner.items(name)[index]?.value
  if (typeof item === 'string') return endpoint(item, place, source, report)
  const isReference = typeof item === 'object' && item !== null && 'type' in item
  if (isReference) {
    const holder = readMembers({ [place]: item }, '', [place], report)
    const url = readReference(holder, place, source.env, report)
    return url && endpoint(url.reveal(), place, source, report)
  }
  const members = readMembers(item, place, ['url', 'weight', 'provider', 'headers'], report)
  const url = members.raw('url')
  const weight = members.count('weight', { min: 0, max: 100 }) ?? 100
  const provider = parseProvider(members, report)
  const headers = parseHeaders(members, source.env, report)
  if (typeof url === 'string') {
    const parsed = endpoint(url, place, source, report)
    return parsed && { ...parsed, weight, ...defined({ provider, headers }) }
  }
  if (typeof item === 'object' && item !== null) report.problem(`${place}.url`, `is ${kindOf(url)}; write "https://…"`)
  return undefined
}

function parseProvider(members: Members, report: Report): string | undefined {
  const provider = members.text('provider')?.trim()
  if (provider === undefined || (provider !== '' && provider.length <= providerCharsMax)) return provider
  report.problem(
    members.place('provider'),
    `has ${provider.length} characters; write a name of 1 to ${providerCharsMax}`,
  )
  return undefined
}

function endpoint(
  text: string,
  place: string,
  { refuseHost }: UrlSource,
  report: Report,
): EndpointSettings | undefined {
  const url = httpUrl(text.trim())
  const refusal = url && refuseHost(url)
  if (refusal !== undefined)
    report.problem(place, `${refusal} (${url?.hostname}); name another node, or change the variable`)
  const variable = /\$\{\w{1,64}\}/.exec(text)?.[0]
  if (url && variable === undefined) return { url: secretUrl(url), weight: 100 }
  const fault = variable
    ? `holds ${variable}, and no variable within a text is replaced; put the whole URL into a variable, and write { "type": "env", "value": "NAME_OF_THE_VARIABLE" }`
    : /^\s*wss?:/i.test(text)
      ? 'is a WebSocket URL (not shown: it may hold a key); write the http or https URL of the same provider'
      : 'is no http or https URL (not shown: it may hold a key); write "https://…"'
  report.problem(place, fault)
  return undefined
}

// The headers of an endpoint: each value a text, or a reference to a variable, and a secret either way.

/** Parses the headers; undefined where the endpoint has none. */
function parseHeaders(endpoint: Members, env: Environment, report: Report): SecretHeaders | undefined {
  if (!endpoint.has('headers')) return undefined
  const place = endpoint.place('headers')
  const given = endpoint.raw('headers')
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    report.problem(
      place,
      `is ${kindOf(given)}; write { "x-api-key": { "type": "env", "value": "NAME_OF_A_VARIABLE" } }`,
    )
    return undefined
  }
  const names = Object.keys(given)
  if (names.length > headersMax) report.problem(place, `has ${names.length} headers; ${headersMax} at most are sent`)
  const members = readMembers(given, place, names, report)
  const headers = new Map<string, Secret>()
  for (const name of names) {
    const key = name.toLowerCase()
    if (!isHeaderName(name)) {
      const fault = 'holds a name that no header has (not shown: it may be a secret)'
      report.problem(place, `${fault}; write a name such as "x-api-key"`)
    } else if (isReservedHeader(name)) {
      report.problem(members.place(name), 'is set by the service for each request; remove it')
    } else if (headers.has(key)) {
      report.problem(members.place(name), 'is there twice, as upper and lower case are one; remove one of the two')
    } else {
      const value = readValue(members, name, env, report)
      if (value) headers.set(key, value)
    }
  }
  return Object.fromEntries(headers)
}

function readValue(members: Members, name: string, env: Environment, report: Report): Secret | undefined {
  const given = members.raw(name)
  const value = typeof given === 'string' ? secret(given) : readReference(members, name, env, report)
  const fault = value && faultOfHeaderValue(value.reveal())
  if (fault !== undefined) report.problem(members.place(name), fault)
  return value
}
