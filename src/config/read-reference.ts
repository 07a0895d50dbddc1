// A secret that the file refers to: `{ "type": "env", "value": "NAME" }`, or, less wisely, one that it holds.

import { type Secret, secret } from '../ops/secret.ts'
import { kindOf, type Members, readMembers } from './members.ts'
import type { Report } from './report.ts'

/** A secret that is taken as it is: a mounted file ends with a newline, which then counts as part of it. */
export function warnOfBlanks(taken: Secret, place: string, report: Report): void {
  const value = taken.reveal()
  if (value === value.trim()) return
  report.warn(
    place,
    'begins or ends with white space, which counts as part of it; remove the white space if it does not belong',
  )
}

export function trimmed(taken: Secret | undefined): Secret | undefined {
  return taken && secret(taken.reveal().trim())
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads a secret; undefined after a problem. Nothing of the value is ever shown. */
export function readReference(owner: Members, name: string, env: Environment, report: Report): Secret | undefined {
  const place = owner.place(name)
  const example = `write { "type": "env", "value": "NAME_OF_A_VARIABLE" }`
  if (!owner.has(name)) {
    report.problem(place, `is missing; ${example}`)
    return undefined
  }
  const value = owner.raw(name)
  if (typeof value !== 'object' || Array.isArray(value)) {
    report.problem(place, `is ${kindOf(value)} (not shown: it may be a secret); ${example}`)
    return undefined
  }
  const members = readMembers(value, place, ['type', 'value'], report)
  const [type, content] = [members.raw('type'), members.raw('value')]
  if (typeof content !== 'string' || content === '') {
    report.problem(`${place}.value`, `is ${content === '' ? 'empty' : kindOf(content)}; ${example}`)
    return undefined
  }
  if (type === 'plain') {
    report.warn(place, 'the secret stands in the file; move it to a variable and refer to it with type "env"')
    return secret(content)
  }
  if (type !== 'env') {
    report.problem(`${place}.type`, `is ${kindOf(type)} other than "env" and "plain"; ${example}`)
    return undefined
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(content)) {
    // It may well be the secret itself, put where its variable's name belongs.
    report.problem(`${place}.value`, `is no name of a variable (not shown: it may be a secret); ${example}`)
    return undefined
  }
  const found = Object.hasOwn(env, content) ? env[content] : undefined
  if (found === undefined || found === '') {
    report.problem(place, `refers to the variable ${content}, which is not set; set it in the environment or in .env`)
    return undefined
  }
  return secret(found)
}
