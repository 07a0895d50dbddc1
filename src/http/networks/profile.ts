// The profile of a network on the wire, in bodies and in responses. The file has it in the same form.

import { type Static, type TSchema, Type } from 'typebox'
import type { ProfileChange } from '../../commands/networks/update-network.ts'
import { defined } from '../../domain/defined.ts'
import type { ReplacementRule } from '../../domain/fees.ts'
import { bases, floorsOfByte, type GasFigures } from '../../domain/gas-figures.ts'
import { type NetworkProfile, type ProfileField, profileLimits, profileTable } from '../../domain/profile.ts'
import { memberOf } from '../../ops/member.ts'
import { closed, optionalInteger } from '../response/forms.ts'

const fields: readonly (readonly [key: string, field: ProfileField])[] = Object.entries(profileTable)

const measures = { fields: 'fields', effectivePrice: 'effective_price' } as const

const ruleSchema = closed('ReplacementRule')({
  measure: Type.Enum(['fields', 'effective_price']),
  percent: Type.Integer({ minimum: 0, maximum: profileLimits.percentMax }),
})

/** The gas rules, also of the figures that the chain shows. */
export const gasRulesSchema = closed('GasRules')({
  base: Type.Optional(Type.Enum([...bases], { description: 'The gas of a call of an account to itself' })),
  floor: Type.Optional(
    Type.Enum([...floorsOfByte], {
      description: 'The least gas for a byte 0 of data: none, by EIP-7623, by EIP-7976',
    }),
  ),
  new_account: optionalInteger({
    ...{ minimum: 0, maximum: profileLimits.newAccountMax, examples: [183_600] },
    description: 'The gas of an account that a value creates, beside the transfer',
  }),
})

function formOf(field: ProfileField): TSchema {
  switch (field.kind) {
    case 'choice':
      return Type.Enum([...field.choices])
    case 'flag':
      return Type.Boolean()
    case 'wei':
      return Type.String({ pattern: '^[0-9]{1,78}$' })
    case 'address':
      return Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
    case 'milliseconds':
      return Type.Integer({ minimum: 0, maximum: field.max })
    case 'bytes':
    case 'gas':
    case 'blocks':
      return Type.Integer({ minimum: field.min, maximum: field.max })
    case 'rule':
      return ruleSchema
    case 'gasRules':
      return gasRulesSchema
    case 'finality':
      return Type.Union([
        Type.Enum(['safe', 'finalized']),
        Type.Integer({ minimum: 1, maximum: profileLimits.finalityMax }),
      ])
  }
}

function wantedOf(field: ProfileField): string {
  switch (field.kind) {
    case 'choice':
      return field.choices.join(' or ')
    case 'flag':
      return 'true or false'
    case 'wei':
      return 'wei as a decimal string'
    case 'address':
      return 'an address, 0x and 40 hexadecimal digits'
    case 'milliseconds':
      return `milliseconds from 0 to ${field.max}`
    case 'bytes':
    case 'gas':
    case 'blocks':
      return `${field.kind} from ${field.min} to ${field.max}`
    case 'rule':
      return '{"measure": "fields" or "effective_price", "percent": 10}'
    case 'gasRules':
      return `{"base": ${bases.join(' or ')}, "floor": ${floorsOfByte.join(' or ')}, "new_account": gas}`
    case 'finality':
      return `safe, finalized or a number of blocks from 1 to ${profileLimits.finalityMax}`
  }
}

/** Null returns a field to the file's value. */
export const profileInBody = closed('ProfileChanges', {
  description: 'an object of fields',
  examples: [{ pool: 'private' }],
})(
  Object.fromEntries(
    fields.map(([, field]) => {
      const description = `${wantedOf(field)}, or null: ${field.meaning}`
      return [field.name, Type.Optional(Type.Union([formOf(field), Type.Null()], { description }))]
    }),
  ),
)

export const profileSchema = closed('Profile')(
  Object.fromEntries(
    fields.map(([, field]) => [
      field.name,
      Type.Optional(Type.Unsafe({ ...formOf(field), description: field.meaning })),
    ]),
  ),
)

/** `body` has the form of `profileInBody`. */
export function parseProfile(body: object): ProfileChange {
  const given = fields.filter(([, { name }]) => Object.hasOwn(body, name))
  return Object.fromEntries(given.map(([key, field]) => [key, parsed(field, memberOf(body, field.name))]))
}

function parsed({ kind }: ProfileField, value: unknown): unknown {
  if (value === null) return null
  if (kind === 'wei') return BigInt(String(value))
  if (kind === 'gasRules') return parsedFigures(value as Static<typeof gasRulesSchema>)
  if (kind !== 'rule') return value
  const measure = memberOf(value, 'measure') === 'fields' ? 'fields' : 'effectivePrice'
  return { measure, percent: BigInt(Number(memberOf(value, 'percent'))) }
}

function parsedFigures({ base, floor, new_account: newAccount }: Static<typeof gasRulesSchema>): GasFigures {
  return defined({ base, floor, newAccount })
}

export function presentProfile(profile: NetworkProfile): Readonly<Record<string, unknown>> {
  const { replacement, gasRules } = profile
  const values: Readonly<Record<string, unknown>> = {
    ...profile,
    ...(replacement && { replacement: presentRule(replacement) }),
    ...(gasRules && { gasRules: presentFigures(gasRules) }),
  }
  return Object.fromEntries(
    fields.flatMap(([key, { name, kind }]) => {
      const value = values[key]
      return value === undefined ? [] : [[name, kind === 'wei' ? String(value) : value]]
    }),
  )
}

export function presentFigures({ newAccount, ...figures }: GasFigures): Static<typeof gasRulesSchema> {
  return { ...figures, ...(newAccount !== undefined && { new_account: newAccount }) }
}

type ShownRule = Pick<ReplacementRule, 'measure'> & { readonly percent: bigint | number }

export function presentRule({ measure, percent }: ShownRule): Static<typeof ruleSchema> {
  return { measure: measures[measure], percent: Number(percent) }
}
