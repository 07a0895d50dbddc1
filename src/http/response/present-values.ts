// Presents values that several resources have: times, exact numbers, prices, pauses, labels, pages of the runbook, and
// endpoints, whose URLs and headers may hold a provider's key: hosts and names are shown, and every part that may be secret is masked.
import { type Static, Type } from 'typebox'
import { type HeldCondition, type NetworkConditionName, runbookOf } from '../../domain/condition.ts'
import { defined } from '../../domain/defined.ts'
import type { NetworkPrice } from '../../domain/fees.ts'
import type { Labels } from '../../domain/labels.ts'
import type { Acknowledgment } from '../../domain/owner-report.ts'
import type { NetworkPause } from '../../domain/pause.ts'
import type { EndpointSettings } from '../../domain/settings.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Secret } from '../../ops/secret.ts'
import { closed, optionalString, some, such, time, wei } from './forms.ts'

// Responses repeat times of the same few seconds, and formatting one is slow.
let second = Number.NaN
let textOfSecond = ''

export function presentTime(at: TimestampMs): string {
  const begun = Math.floor(at / 1_000) * 1_000
  if (begun !== second) {
    textOfSecond = new Date(begun).toISOString().slice(0, -'000Z'.length)
    second = begun
  }
  return `${textOfSecond}${String(at - begun).padStart(3, '0')}Z`
}

/** The API's name of a member: `restsUntil` is `rests_until`. */
export function nameInApi(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A count with the words of one, or of several: "1 transaction is", "2 transactions are". */
export function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`
}

declare global {
  interface JSON {
    /** The proposal "JSON.parse source text access" of ECMAScript; every supported runtime has it. */
    rawJSON(text: string): unknown
  }
}

/**
 * An amount as a JSON number with all its digits, for clients that expect a number: it may be larger than 2^53. For serialization
 * only, not for arithmetic.
 */
export function exactNumber(amount: bigint): number {
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number : (JSON.rawJSON(amount.toString()) as number)
}

export const networkPriceSchema = closed('NetworkPrice', {
  description: "The network's price as this process last read it; absent before its first reading",
})({
  per_gas: wei('Wei for a unit of gas: the base fee and the average tip'),
  block_number: Type.Integer({ minimum: 0, description: 'The head of this reading' }),
  read_at: time(),
})

export function presentPrice({ perGas, block, readAt }: NetworkPrice): Static<typeof networkPriceSchema> {
  return { per_gas: perGas.toString(), block_number: block, read_at: presentTime(readAt) }
}

export const networkPauseSchema = closed('NetworkPause', {
  description: 'The whole network is paused, with all of its relayers; absent while it is not',
})({ at: time(), by: such(some.apiKeyId, 'The id of the API key'), note: Type.Optional(such('the chain has halted')) })

export function presentPause({ at, ...rest }: NetworkPause): Static<typeof networkPauseSchema> {
  return { at: presentTime(at), ...rest }
}

export const labelsSchema = closed('Labels')({
  external_id: Type.Optional(such('invoice-2044')),
  tags: Type.Optional(Type.Array(such('payroll'))),
  note: Type.Optional(such('approved by the treasury')),
})

export function presentLabels({ externalId, tags, note }: Labels): Static<typeof labelsSchema> {
  return {
    ...(externalId !== undefined && { external_id: externalId }),
    ...(tags && { tags: [...tags] }),
    ...(note !== undefined && { note }),
  }
}

export function runbookSchema(example: HeldCondition | NetworkConditionName) {
  return Type.String({
    description: 'The page about the condition: a path at this service, unless DOCS_ENABLED is false',
    examples: [runbookOf(example)],
  })
}

/** The mask that replaces each header's value. */
export const headerMask = '***'

export const endpointSchema = closed('Endpoint')({
  url: Type.String({ description: 'with user, path and query masked', examples: ['https://rpc.example/***'] }),
  weight: Type.Integer({ minimum: 1, maximum: 100, examples: [100] }),
  provider: optionalString({ examples: ['one'] }),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'with every value masked, as "***"' }),
  ),
})

export function presentEndpoint({ url, weight, provider, headers }: EndpointSettings): Static<typeof endpointSchema> {
  const masked = headers && Object.fromEntries(Object.keys(headers).map((name) => [name, headerMask]))
  return {
    url: presentUrl(url),
    weight,
    ...defined({ provider, headers: masked }),
  }
}

export function presentUrl(url: Secret): string {
  const { protocol, host, username, password, pathname, search } = new URL(url.reveal())
  const isBare = username === '' && password === '' && pathname === '/' && search === ''
  return `${protocol}//${host}${isBare ? '' : '/***'}`
}

export const acknowledgmentSchema = closed('Acknowledgment', {
  description: 'An operator has seen it. It lapses with the condition',
})({ at: time(), by: such(some.apiKeyId, 'The id of the API key'), note: Type.Optional(such('topped up tonight')) })

export function presentAcknowledgment({ at, ...rest }: Acknowledgment) {
  return { at: presentTime(at), ...rest }
}
