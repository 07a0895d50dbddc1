// Policies on the wire, in bodies and in responses. They are parsed as in the configuration file. A response shows amounts
// as numbers with every digit.
import { type TSchema, Type } from 'typebox'
import { durationInDaysPattern, durationPattern, shownDuration } from '../../domain/duration.ts'
import {
  type Policies,
  type Policy,
  policyTable,
  type SetPolicy,
  setPolicies,
  unenforcedPolicies,
} from '../../domain/policy-table.ts'
import { forms, stated, weiForms } from '../request/stated.ts'
import { closed, weiNumber } from '../response/forms.ts'
import { exactNumber } from '../response/present-values.ts'

const rows: readonly Policy[] = Object.values(policyTable)
const [refusedFlag] = unenforcedPolicies
const selector = { type: 'string', pattern: '^0x([0-9a-fA-F]{8})?$', examples: ['0xa9059cbb'] }

/** Null removes a policy. */
export const policiesInBody = closed('PolicyChanges', {
  description: 'an object of policies',
  examples: [{ gas_price_cap: 100_000_000_000 }],
})(Object.fromEntries([...rows, ...unenforcedPolicies].map((policy) => [policy.name, given(policy)])))

function given(policy: Policy) {
  const { meaning } = policy
  const rule = stated({ anyOf: [...ruleOf(policy), forms.none] })
  const orNull = (description: string, ...accepted: readonly TSchema[]) =>
    Type.Optional(Type.Union([...accepted, Type.Null()], { description, ...rule }))
  switch (policy.kind) {
    case 'wei': {
      const accepted = [Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,78}$' })]
      return orNull(`wei as an integer or a decimal string: ${meaning}`, ...accepted)
    }
    case 'count':
      return orNull(`an integer from ${policy.min}: ${meaning}`, Type.Integer({ minimum: policy.min }))
    case 'duration':
      return orNull(`a duration from "1s" to "${policy.inDays ? '30d' : '24h'}": ${meaning}`, Type.String())
    case 'flag':
      return orNull(`true or false: ${meaning}`, Type.Boolean())
    case 'addresses':
      return orNull(`a list of addresses that ${meaning}`, Type.Array(Type.String()))
    case 'calls': {
      const wanted = 'an object of lists of selectors by one receiver or more, {"0x…": ["0xa9059cbb"]}'
      return orNull(`${wanted}: ${meaning}`, Type.Record(Type.String(), Type.Array(Type.String())))
    }
  }
}

/** The parser of the configuration file enforces it. */
function ruleOf(policy: Policy): readonly object[] {
  switch (policy.kind) {
    case 'wei':
      return weiForms(policy.zeroMeans === undefined ? 0 : 1)
    case 'count':
      return [{ type: 'integer', minimum: policy.min, maximum: policy.max }]
    case 'duration':
      return policy.inDays
        ? [{ type: 'string', pattern: durationInDaysPattern, examples: ['3d'] }]
        : [{ type: 'string', pattern: durationPattern, examples: ['10m'] }]
    case 'flag':
      return policy.name === refusedFlag.name ? [{ enum: [false] }] : [{ type: 'boolean' }]
    case 'addresses':
      return [{ type: 'array', items: forms.address }]
    case 'calls': {
      const { pattern, format } = forms.address
      const items = { type: 'array', items: selector }
      return [{ type: 'object', minProperties: 1, propertyNames: { pattern, format }, additionalProperties: items }]
    }
  }
}

/** The schema of each kind of policy in a response. */
function shownAs(policy: Policy): TSchema {
  switch (policy.kind) {
    case 'wei':
      return weiNumber()
    case 'count':
      return Type.Integer({ minimum: policy.min, maximum: policy.max })
    case 'duration':
      return Type.String()
    case 'flag':
      return Type.Boolean()
    case 'addresses':
      return Type.Array(Type.String())
    case 'calls':
      return Type.Record(Type.String(), Type.Array(Type.String()))
  }
}

export const policiesSchema = closed('Policies')(
  Object.fromEntries(
    rows.map((policy) => {
      const shown = shownAs(policy)
      const isAlwaysThere = policy.default !== undefined || policy.implied !== undefined
      return [policy.name, isAlwaysThere ? shown : Type.Optional(shown)]
    }),
  ),
)

export function presentPolicies(policies: Policies): Readonly<Record<string, unknown>> {
  return Object.fromEntries(setPolicies(policies).map((held) => [held.name, present(held)]))
}

function present({ kind, value }: SetPolicy): unknown {
  switch (kind) {
    case 'wei':
      return exactNumber(value)
    case 'duration':
      return shownDuration(value)
    case 'calls':
      return Object.fromEntries(value.map(({ receiver, selectors }) => [receiver, selectors]))
    case 'count':
    case 'flag':
    case 'addresses':
      return value
  }
}
