// Reads the members of a JSON object: each with its type, its bounds, and a place to point at when it is wrong.
import { parseDuration } from '../domain/duration.ts'
import { nearestName } from '../ops/near-names.ts'
import type { Report } from './report.ts'

export interface Members {
  /** Present and not null: null means absent, as in the files that we take over. */
  has(name: string): boolean
  raw(name: string): unknown
  place(name: string): string
  /** The member's text; undefined when absent. A problem is reported when it is no text, or an empty one. */
  text(name: string): string | undefined
  /** Reports an absent one too, and answers '' then. */
  requiredText(name: string): string
  flag(name: string, fallback: boolean): boolean
  /** A flag whose null may be a protection that a template lost: a problem. */
  setting(name: string, fallback: boolean): boolean
  count(name: string, bounds: { min: number; max: number }): number | undefined
  /** A duration in milliseconds. `inDays`: up to 30 of them. */
  duration(name: string, rule?: { readonly inDays?: true }): number | undefined
  wei(name: string): bigint | undefined
  texts(name: string): readonly string[] | undefined
  /** The members of a list; empty when absent. */
  items(name: string): readonly { readonly value: unknown; readonly place: string }[]
}

interface UnknownMember {
  readonly name: string
  readonly value: unknown
  readonly place: string
  /** The members that the object may have. */
  readonly known: readonly string[]
}

/** Calls `refuse` unless the member may pass. */
export type RefuseUnknown = (unknown: UnknownMember, refuse: (unknown: UnknownMember) => void) => void

/** Members beyond `known` are reported, with the name that was probably meant. */
export function readMembers(
  value: unknown,
  at: string,
  known: readonly string[],
  report: Report,
  refuseUnknown: RefuseUnknown = (unknown, refuse) => refuse(unknown),
): Members {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const object: Readonly<Record<string, unknown>> = isObject ? { ...value } : {}
  const place = (name: string) => (at === '' ? name || '""' : `${at}.${name || '""'}`)
  if (!isObject) report.problem(at === '' ? 'the file' : at, `is ${kindOf(value)}; write an object, { … }`)
  const refuse = ({ name, place }: UnknownMember) =>
    report.problem(place, `is not a known member; ${suggestion(cut(name), known)}`)
  for (const [name, member] of Object.entries(object)) {
    if (!known.includes(name)) refuseUnknown({ name, value: member, place: place(cut(name)), known }, refuse)
  }

  const raw = (name: string) => (Object.hasOwn(object, name) ? object[name] : undefined)
  const has = (name: string) => raw(name) !== undefined && raw(name) !== null
  const read = <T>(name: string, wanted: string, parse: (value: unknown) => T | undefined): T | undefined => {
    if (!has(name)) return undefined
    const parsed = parse(raw(name))
    if (parsed === undefined) report.problem(place(name), `is ${shown(raw(name))}; write ${wanted}`)
    return parsed
  }
  const text = (name: string) => read(name, 'a text, not empty and without U+0000', asText)

  return {
    has,
    raw,
    place,
    text,
    requiredText(name) {
      if (isObject && !has(name)) report.problem(place(name), 'is missing; write a text')
      return text(name) ?? ''
    },
    flag: (name, fallback) => read(name, 'true or false', asFlag) ?? fallback,
    setting(name, fallback) {
      if (raw(name) === null) report.problem(place(name), 'is null; write true or false')
      return read(name, 'true or false', asFlag) ?? fallback
    },
    count: (name, { min, max }) => read(name, `a whole number from ${min} to ${max}`, asCount(min, max)),
    duration: (name, { inDays = false } = {}) =>
      read(
        name,
        inDays
          ? 'a duration from "1s" to "24h", or to "30d", such as "3d"'
          : 'a duration from "1s" to "24h", such as "10m"',
        asDuration(inDays),
      ),
    wei: (name) => read(name, 'a whole number of wei, as a number or a decimal text such as "100000000000"', asWei),
    texts: (name) => read(name, 'a list of texts', asTexts),
    items(name) {
      const list = read(name, 'a list, [ … ]', asList)
      return (list ?? []).map((item, index) => ({ value: item, place: `${place(name)}[${index}]` }))
    },
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0') ? value : undefined
}

function asDuration(inDays: boolean): (value: unknown) => number | undefined {
  return (value) => (typeof value === 'string' ? parseDuration(value, { inDays }) : undefined)
}

function asFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

function asTexts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

function asCount(min: number, max: number): (value: unknown) => number | undefined {
  return (value) => {
    const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
    return fits ? value : undefined
  }
}

/** Amounts fit the chain's 256-bit words. */
const weiMax = 2n ** 256n - 1n

function asWei(value: unknown): bigint | undefined {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  const isDecimal = typeof value === 'string' && /^\d{1,78}$/.test(value)
  if (!isWhole && !isDecimal) return undefined
  const wei = BigInt(value)
  return wei >= 0n && wei <= weiMax ? wei : undefined
}

/** For members that hold no secret: a scalar is shown, anything else only named. */
export function shown(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return value.length > shownCharsMax ? `"${cut(value)}"` : JSON.stringify(value)
  return kindOf(value)
}

const shownCharsMax = 60

function cut(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}

/** For members that may hold a secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? `remove it (known are ${known.join(', ')})` : `did you mean "${nearest}"?`
}
