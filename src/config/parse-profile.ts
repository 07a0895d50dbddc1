// The profile of a network in the file: each field by its kind, with the value and the fix where it is wrong.
import { defined } from '../domain/defined.ts'
import type { ReplacementRule } from '../domain/fees.ts'
import { bases, floorsOfByte, type GasFigures } from '../domain/gas-figures.ts'
import { type ProfileField, type ProfileOverrides, profileLimits, profileTable } from '../domain/profile.ts'
import { type Members, readMembers, shown } from './members.ts'
import type { Report } from './report.ts'

const fields: readonly (readonly [key: string, field: ProfileField])[] = Object.entries(profileTable)

/** The fields that the file sets. */
export function parseProfile(network: Members, report: Report): ProfileOverrides {
  if (!network.has('profile')) return {}
  const known = fields.map(([, { name }]) => name)
  const members = readMembers(network.raw('profile'), network.place('profile'), known, report)
  const given = fields.filter(([, { name }]) => members.has(name))
  // The table gives each key the type of its field.
  return Object.fromEntries(
    given.flatMap(([key, field]) => {
      const value = parseField(field, members, report)
      return value === undefined ? [] : [[key, value]]
    }),
  ) as ProfileOverrides
}

function parseField(field: ProfileField, members: Members, report: Report): unknown {
  const { name } = field
  const given = members.raw(name)
  const refuse = (wanted: string) => report.problem(members.place(name), `is ${shown(given)}; write ${wanted}`)
  switch (field.kind) {
    case 'choice':
      if (typeof given === 'string' && field.choices.includes(given)) return given
      return refuse(field.choices.map((choice) => `"${choice}"`).join(' or '))
    case 'flag':
      return members.flag(name, false)
    case 'wei':
      return members.wei(name)
    case 'address':
      return typeof given === 'string' && /^0x[0-9a-fA-F]{40}$/.test(given)
        ? given
        : refuse('an address: 0x and 40 hexadecimal digits')
    case 'milliseconds':
      return members.count(name, { min: 0, max: field.max })
    case 'bytes':
    case 'gas':
    case 'blocks':
      return members.count(name, field)
    case 'rule':
      return parseRule(members, name, report)
    case 'gasRules':
      return parseGasRules(members, name, report)
    case 'finality': {
      const { finalityMax } = profileLimits
      if (given === 'safe' || given === 'finalized') return given
      if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 1 && given <= finalityMax) return given
      return refuse(`"safe", "finalized" or a number of blocks from 1 to ${finalityMax}`)
    }
  }
}

const measures: Readonly<Record<string, ReplacementRule['measure']>> = {
  fields: 'fields',
  effective_price: 'effectivePrice',
}

function parseRule(members: Members, name: string, report: Report): ReplacementRule | undefined {
  const rule = readMembers(members.raw(name), members.place(name), ['measure', 'percent'], report)
  const given = rule.raw('measure')
  const measure = typeof given === 'string' && Object.hasOwn(measures, given) ? measures[given] : undefined
  if (measure === undefined)
    report.problem(rule.place('measure'), `is ${shown(given)}; write "fields" or "effective_price"`)
  const percent = rule.count('percent', { min: 0, max: profileLimits.percentMax })
  if (!rule.has('percent')) report.problem(rule.place('percent'), 'is missing; write a whole number such as 10')
  return measure === undefined || percent === undefined ? undefined : { measure, percent: BigInt(percent) }
}

function parseGasRules(members: Members, name: string, report: Report): GasFigures {
  const rules = readMembers(members.raw(name), members.place(name), ['base', 'floor', 'new_account'], report)
  const oneOf = <T extends number>(member: string, choices: readonly T[]): T | undefined => {
    if (!rules.has(member)) return undefined
    const given = rules.raw(member)
    const chosen = choices.find((choice) => choice === given)
    if (chosen === undefined) report.problem(rules.place(member), `is ${shown(given)}; write ${choices.join(' or ')}`)
    return chosen
  }
  const base = oneOf('base', bases)
  const floor = oneOf('floor', floorsOfByte)
  const newAccount = rules.has('new_account')
    ? rules.count('new_account', { min: 0, max: profileLimits.newAccountMax })
    : undefined
  return {
    ...defined({ base, floor, newAccount }),
  }
}
