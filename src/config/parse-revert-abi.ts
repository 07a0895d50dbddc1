// The errors by which the data of reverts is decoded, in the form of the ABI that compilers write.
import { toFunctionSelector } from 'viem/utils'
import {
  type ErrorFragment,
  type ErrorInput,
  fragmentLimits,
  identifierPattern,
  memberPattern,
  parameterNamePattern,
  signatureOf,
  tuplePattern,
  typePattern,
} from '../domain/revert-data.ts'
import { type Members, readMembers, shown } from './members.ts'
import type { Report } from './report.ts'

const { fragmentsMax, inputsMax } = fragmentLimits
/** Every contract has them, and they are decoded without a fragment. */
const everywhere = ['Error(string)', 'Panic(uint256)']

export function parseRevertAbi(name: string, members: Members, report: Report): readonly ErrorFragment[] {
  const place = members.place(name)
  const items = members.items(name)
  if (items.length > fragmentsMax) {
    report.problem(place, `has ${items.length} errors; write at most ${fragmentsMax}`)
    return []
  }
  const known = new Map<string, string>()
  return items.flatMap(({ value, place: at }) => {
    const fragment = parseFragment(value, at, report)
    if (!fragment) return []
    const signature = signatureOf(fragment)
    const selector = toFunctionSelector(signature)
    const other = known.get(selector)
    if (everywhere.includes(signature)) report.problem(at, `is ${signature}, which needs no fragment; remove it`)
    else if (other === signature) report.problem(at, `is there twice: ${signature}; write it once`)
    else if (other !== undefined) {
      report.problem(at, `is ${signature}, and is there twice by its selector ${selector}, with ${other}; keep one`)
    }
    known.set(selector, signature)
    return [fragment]
  })
}

const fragmentMembers = ['type', 'name', 'inputs']

/** Parses a fragment; undefined after a problem. */
function parseFragment(value: unknown, place: string, report: Report): ErrorFragment | undefined {
  const members = readMembers(value, place, fragmentMembers, report)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const type = members.raw('type')
  if (type !== 'error')
    report.problem(members.place('type'), `is ${shown(type)}; write "error", or remove the fragment`)
  const name = members.raw('name')
  const isNamed = typeof name === 'string' && new RegExp(identifierPattern).test(name)
  if (!isNamed) report.problem(members.place('name'), `is ${shown(name)}; write the name of the error`)
  const inputs = parseInputs('inputs', members, 'top', report)
  return type === 'error' && isNamed && inputs ? { name, inputs } : undefined
}

type Level = 'top' | 'member'
const inputMembers = ['type', 'name', 'internalType', 'components']

function parseInputs(name: string, members: Members, level: Level, report: Report): readonly ErrorInput[] | undefined {
  const place = members.place(name)
  if (!Array.isArray(members.raw(name))) {
    report.problem(place, 'is no list; write a list of parameters, [] without one')
    return undefined
  }
  const items = members.items(name)
  if (items.length > inputsMax) {
    report.problem(place, `has ${items.length} parameters; at most ${inputsMax} are decoded, so remove the fragment`)
    return undefined
  }
  const inputs = items.map(({ value, place: at }) => parseInput(value, at, level, report))
  const parsed = inputs.filter((input) => input !== undefined)
  return parsed.length === inputs.length ? parsed : undefined
}

const typesAt = { top: new RegExp(typePattern), member: new RegExp(memberPattern) } as const
const typeRules = {
  top: 'write a type of the ABI such as uint256, an array of it, or tuple with its components; an array of arrays is not decoded',
  member:
    'write a type of the ABI such as uint256; an array or a tuple within a tuple is not decoded, so remove the fragment',
} as const

function parseInput(value: unknown, place: string, level: Level, report: Report): ErrorInput | undefined {
  const members = readMembers(value, place, inputMembers, report)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const type = members.raw('type')
  const isText = typeof type === 'string'
  const isTuple = isText && level === 'top' && new RegExp(tuplePattern).test(type)
  if (!isText || !(isTuple || typesAt[level].test(type))) {
    report.problem(members.place('type'), `is ${shown(type)}; ${typeRules[level]}`)
    return undefined
  }
  const name = members.raw('name') ?? ''
  if (typeof name !== 'string' || !new RegExp(parameterNamePattern).test(name)) {
    report.problem(members.place('name'), `is ${shown(name)}; write the name of the parameter, or remove it`)
    return undefined
  }
  members.text('internalType')
  const components = isTuple ? parseComponents(members, report) : noComponents(members, report)
  if (!components) return undefined
  return { type, ...(name !== '' && { name }), ...(isTuple && { components }) }
}

function parseComponents(members: Members, report: Report): readonly ErrorInput[] | undefined {
  const components = parseInputs('components', members, 'member', report)
  if (components?.length !== 0) return components
  report.problem(members.place('components'), 'is empty; write the members of the tuple')
  return undefined
}

function noComponents(members: Members, report: Report): readonly ErrorInput[] | undefined {
  if (!members.has('components')) return []
  report.problem(members.place('components'), 'belongs to a tuple only; remove it, or write "type": "tuple"')
  return undefined
}
