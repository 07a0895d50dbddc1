// Reads single variables of the environment.
import type { Environment } from './read-reference.ts'
import type { Report } from './report.ts'

/** A variable that is set to nothing counts as not set, as in a .env with an empty line for it. */
export function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** A variable whose default is the widest of its values, so that an empty one, whose value was lost, is refused. */
export function wideSetting(env: Environment, name: string, wanted: string, report: Report): string | undefined {
  const value = setting(env, name)
  if (value === undefined && env[name] !== undefined) {
    report.problem(name, `is empty, and its default is its widest value; write ${wanted}, or remove the variable`)
  }
  return value
}

/** Separated by commas. */
export function listSetting(env: Environment, name: string): readonly string[] {
  const listed = (setting(env, name) ?? '').split(',').map((each) => each.trim())
  return listed.filter((each) => each !== '')
}

export function wholeNumber(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max: number,
  report: Report,
): number {
  const value = setting(env, name)
  if (value === undefined) return fallback
  const number = Number(value)
  if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return number
  report.problem(name, `is "${value}"; write a whole number from ${min} to ${max}`)
  return fallback
}
