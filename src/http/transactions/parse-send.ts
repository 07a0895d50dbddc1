// The body of a send: its schema, and its conversion to the domain's request.

import { type Static, Type } from 'typebox'
import { durationFrom30sPattern, parseDuration } from '../../domain/duration.ts'
import { RescindError } from '../../domain/errors.ts'
import { type Pricing, type Speed, speeds } from '../../domain/fees.ts'
import { lowBaseGas } from '../../domain/gas-figures.ts'
import type { HoldRequest } from '../../domain/hold.ts'
import { type Hex, lowerHex } from '../../domain/ids.ts'
import type { SendRequest } from '../../domain/submit.ts'
import type { Wei } from '../../domain/units.ts'
import { addressSchema, parseAddress, parseTime } from '../request/parse-values.ts'
import { propertiesOf, unknownMember } from '../request/refuse-excess.ts'
import { forms, stated } from '../request/stated.ts'
import { invalid, shownValue } from '../request/validate.ts'
import { closed, optionalString } from '../response/forms.ts'
import { accessListSchema, parseAccessList } from './access-list.ts'
import { believedSender, ignoredIn, ignoredMembers, type LogIgnored } from './ignored-members.ts'
import { labelProperties, parseLabels } from './labels.ts'
import { speedSchema } from './present-transaction.ts'

const weiMax = 2n ** 256n - 1n

const weiWanted = 'wei as a decimal string, such as "1000000000000000000", or as an integer'

/** Clients of other relayers send the value of a call as a quantity of JSON-RPC: "0x0". */
const valueSchema = Type.Union(
  [
    Type.String({ pattern: '^[0-9]{1,78}$', format: 'uint256', examples: ['1000000000000000000'] }),
    Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$', examples: ['0xde0b6b3a7640000'] }),
    Type.Integer({ minimum: 0, exclusiveMaximum: 2 ** 256 }),
  ],
  {
    title: 'Value',
    description: `${weiWanted}, or in hex: 0x and 1 to 64 digits`,
    ...stated({ description: `${weiWanted}, below 2^256, or in hex: 0x and 1 to 64 digits` }),
  },
)

const wei = (more?: string) =>
  Type.Union(
    [
      Type.String({ pattern: '^[0-9]{1,78}$', format: 'uint256', examples: ['1000000000000000000'] }),
      Type.Integer({ minimum: 0, exclusiveMaximum: 2 ** 256 }),
    ],
    {
      title: 'Amount',
      description: weiWanted,
      ...stated({ description: `${weiWanted}, below 2^256${more === undefined ? '' : `; ${more}`}` }),
    },
  )

const names = speeds.join(', ')

const { none } = forms
const amount = { type: ['string', 'integer'] }

/** `parsePricing` enforces it. */
const pricings = [
  {
    description: 'Priced by the service, at a speed',
    properties: { gas_price: none, max_fee_per_gas: none, max_priority_fee_per_gas: none },
  },
  {
    description: 'At the price of a legacy transaction',
    required: ['gas_price'],
    properties: { gas_price: amount, speed: none, max_fee_per_gas: none, max_priority_fee_per_gas: none },
  },
  {
    description: 'At the prices of EIP-1559',
    required: ['max_fee_per_gas', 'max_priority_fee_per_gas'],
    properties: { max_fee_per_gas: amount, max_priority_fee_per_gas: amount, speed: none, gas_price: none },
  },
]

/** `parseSend` enforces it. */
const targets = [
  { description: 'A call or a transfer', required: ['to'], properties: { to: { type: 'string' } } },
  {
    description: 'The creation of a contract, from its code',
    required: ['data'],
    properties: { data: { type: 'string', pattern: '^(0x)?([0-9a-fA-F]{2})+$' } },
  },
]

const payloadProperties = {
  to: Type.Optional(
    addressSchema('an address: 0x and 40 hex digits, in one case or with its EIP-55 checksum; none creates a contract'),
  ),
  value: valueSchema,
  data: optionalString({
    pattern: '^(0x)?([0-9a-fA-F]{2})*$',
    description: 'bytes in hex: an even number of digits, with 0x or without; empty for a transfer',
    examples: ['0xd0e30db0'],
  }),
  gas_limit: Type.Optional(
    Type.Union([Type.Integer({ minimum: lowBaseGas, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
      description: `gas units as an integer from ${lowBaseGas}, or nothing to have it estimated; the network decides the least`,
    }),
  ),
  speed: Type.Optional(
    Type.Union([speedSchema, Type.Enum([...speeds])], {
      description: `one of ${names}, as {"name": "fast"} or as the bare string; fast when no fee is given`,
    }),
  ),
  gas_price: Type.Optional(wei()),
  max_fee_per_gas: Type.Optional(wei()),
  max_priority_fee_per_gas: Type.Optional(wei('at most max_fee_per_gas')),
  allow_out_of_gas: Type.Optional(
    Type.Boolean({
      description:
        'true: gas_limit stands, although the value may create its receiver and the limit would not pay for that; false or nothing: such a transaction fails before it is signed',
    }),
  ),
  access_list: Type.Optional(accessListSchema),
  valid_until: optionalString({
    format: 'date-time',
    maxLength: 64,
    description: 'a time by RFC 3339, such as "2030-01-31T12:00:00Z"',
    ...stated({ description: 'a time by RFC 3339 in the future, such as "2030-01-31T12:00:00Z"' }),
  }),
  hold: Type.Optional(
    Type.Boolean({
      description:
        'true: it gets no nonce until its release (POST …/release); at most one of hold, hold_for and not_before',
    }),
  ),
  hold_for: optionalString({
    pattern: durationFrom30sPattern,
    description: 'a duration from "30s" to "24h", such as "10m": so long it gets no nonce, unless it is released',
    examples: ['10m'],
  }),
  not_before: optionalString({
    format: 'date-time',
    maxLength: 64,
    description: 'a time by RFC 3339, such as "2030-01-31T12:00:00Z"',
    ...stated({
      format: 'date-time-within-a-year',
      description:
        'a time by RFC 3339, at most a year ahead, such as "2030-01-31T12:00:00Z": before it, it gets no nonce, unless it is released',
    }),
  }),
  ...ignoredMembers,
}

const examples = [
  { to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', value: '1000000000000000000', speed: { name: 'fast' } },
  { to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', value: 0, data: '0xd0e30db0', gas_limit: 60_000 },
]

const description = 'a transaction as an object, such as {"to": "0x…", "value": "1"}'
const noHold = { enum: [false, null] }

/** `parseHold` enforces it. */
const holds = [
  { description: 'Not on hold, or until a release', properties: { hold_for: none, not_before: none } },
  { description: 'On hold for a duration', properties: { hold: noHold, not_before: none } },
  { description: 'On hold until a time', properties: { hold: noHold, hold_for: none } },
]

const rules = stated({ allOf: [{ oneOf: pricings }, { anyOf: targets }, { anyOf: holds }] })

export const sendSchema = closed('SendRequest', { description, ...rules, examples })({
  ...payloadProperties,
  ...labelProperties,
})

/** A transaction keeps its names: the body of a PUT has none. */
export const replaceSchema = closed('ReplaceRequest', { description, ...rules, examples })(payloadProperties)

export interface SendHandling {
  /** Whether members without effect are refused. */
  readonly isStrict: boolean
  readonly logIgnored: LogIgnored
}

export type SendBody = Static<typeof sendSchema>

/** `isStrict`: members that would have no effect are refused. Throws INVALID_REQUEST, naming field, value and fix. */
export function parseSend(body: SendBody, isStrict: boolean): SendRequest {
  const [ignored] = ignoredIn(body)
  if (isStrict && ignored !== undefined) throw unknownMember(ignored, propertiesOf(sendSchema))
  const believed = believedSender(body)
  const labels = parseLabels(body)
  const data = bytesOf(body.data ?? '')
  if (body.to === undefined && data === '0x') {
    throw new RescindError('INVALID_REQUEST', 'to: is missing; send an address, or data to create a contract with')
  }
  const hold = parseHold(body)
  return {
    ...(body.to !== undefined && { to: parseAddress('to', body.to) }),
    value: parseWei('value', body.value),
    data,
    ...(typeof body.gas_limit === 'number' && { gasLimit: body.gas_limit }),
    pricing: parsePricing(body),
    ...(body.allow_out_of_gas === true && { allowOutOfGas: true as const }),
    ...(body.access_list !== undefined && { accessList: parseAccessList(body.access_list) }),
    ...(body.valid_until !== undefined && { validUntil: parseTime('valid_until', body.valid_until) }),
    ...(labels && { labels }),
    ...(hold && { hold }),
    ...(believed && { believed }),
  }
}

/** Throws INVALID_REQUEST where more than one is named. */
function parseHold({ hold, hold_for: duration, not_before: time }: SendBody): HoldRequest | undefined {
  if (hold === true) {
    refuseBeside('hold', { hold_for: duration, not_before: time })
    return { kind: 'release' }
  }
  if (duration !== undefined) {
    refuseBeside('hold_for', { not_before: time })
    // The schema has refused other texts.
    return { kind: 'for', ms: parseDuration(duration) ?? 0 }
  }
  return time === undefined ? undefined : { kind: 'notBefore', at: parseTime('not_before', time) }
}

/** `text`: as the schema of `data` has it. */
function bytesOf(text: string): Hex {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  return lowerHex(`0x${digits}`)
}

function parseWei(field: string, amount: string | number): Wei {
  const wei = BigInt(amount)
  if (wei > weiMax) throw invalid(field, amount, 'an amount below 2^256 wei; send a smaller one')
  return wei
}

function parsePricing(body: SendBody): Pricing {
  const { speed, gas_price: price, max_fee_per_gas: cap, max_priority_fee_per_gas: tip } = body
  if (price !== undefined) {
    refuseBeside('gas_price', { speed, max_fee_per_gas: cap, max_priority_fee_per_gas: tip })
    return { kind: 'legacy', gasPrice: parseWei('gas_price', price) }
  }
  if (cap === undefined && tip === undefined) return { kind: 'speed', speed: parseSpeed(speed) }
  refuseBeside('max_fee_per_gas', { speed })
  if (cap === undefined) throw missingBeside('max_fee_per_gas', 'max_priority_fee_per_gas')
  if (tip === undefined) throw missingBeside('max_priority_fee_per_gas', 'max_fee_per_gas')
  const maxFeePerGas = parseWei('max_fee_per_gas', cap)
  const maxPriorityFeePerGas = parseWei('max_priority_fee_per_gas', tip)
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw invalid('max_priority_fee_per_gas', tip, `at most max_fee_per_gas (${shownValue(cap)}); send a lower tip`)
  }
  return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }
}

function parseSpeed(speed: SendBody['speed']): Speed {
  return typeof speed === 'object' ? speed.name : (speed ?? 'fast')
}

function refuseBeside(given: string, others: Record<string, unknown>): void {
  const other = Object.keys(others).find((name) => others[name] !== undefined)
  if (other === undefined) return
  throw new RescindError('INVALID_REQUEST', `${other}: can't stand beside ${given}; send one of them`)
}

function missingBeside(missing: string, given: string): RescindError {
  return new RescindError('INVALID_REQUEST', `${missing}: is missing beside ${given}; send both or neither`)
}
