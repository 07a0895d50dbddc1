// The headers of an endpoint: each value a text, or a reference to a variable, and a secret either way.
import {
  faultOfHeaderValue,
  headersMax,
  isHeaderName,
  isReservedHeader,
  type SecretHeaders,
} from '../ops/request-headers.ts'
import { type Secret, secret } from '../ops/secret.ts'
import { kindOf, type Members, readMembers } from './members.ts'
import { type Environment, readReference } from './read-reference.ts'
import type { Report } from './report.ts'

/** Undefined where the endpoint has none. */
export function parseHeaders(endpoint: Members, env: Environment, report: Report): SecretHeaders | undefined {
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
