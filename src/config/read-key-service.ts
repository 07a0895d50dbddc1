// What the parsers of key services share: where secrets come from, and members with a form of their own.
import { resolve } from 'node:path'
import { httpUrl } from '../ops/http-url.ts'
import type { Secret } from '../ops/secret.ts'
import type { KeyServiceSettings, VaultTransitSettings } from '../signers/settings.ts'
import type { ShownConfig, SignerEnvironment } from './config.ts'
import { kindOf, type Members, shown } from './members.ts'
import type { Report } from './report.ts'

type WithoutSigner<T> = T extends unknown ? Omit<T, 'id' | 'address'> : never

/** The parsed key of one type. `shown` has the names of the file. */
export interface KeyServiceParts {
  readonly settings: WithoutSigner<KeyServiceSettings> | VaultTransitSettings
  readonly shown: ShownConfig
}

/** The differences between the file and a request: who wrote it, and what the process runs with. */
export interface KeyServiceSource {
  readonly report: Report
  /** A reference in the file, a text in a request. Reports an absent one. */
  secretOf(owner: Members, name: string): Secret | undefined
  /** A key in hex, or a URL: white space around it is no part of it. */
  trimmedSecretOf(owner: Members, name: string): Secret | undefined
  /**
   * The settings are in the file. A request names no files of this machine, and sends no credentials of the machine where it
   * likes.
   */
  readonly isFile: boolean
  /** The start of relative paths. */
  readonly cwd: string
  readonly environment: SignerEnvironment
}

/** Reports a text that has not the form. */
export function formed(members: Members, name: string, form: RegExp, wanted: string, { report }: KeyServiceSource) {
  const text = members.requiredText(name).trim()
  if (text !== '' && !form.test(text)) report.problem(members.place(name), `is ${shown(text)}; write ${wanted}`)
  return text
}

/** An http or https URL without credentials, query or fragment. */
export function baseUrl(members: Members, name: string, { report }: KeyServiceSource, example: string): string {
  const text = members.requiredText(name).trim()
  const url = httpUrl(text)
  if (text !== '' && (!url || url.username || url.password || url.search || url.hash)) {
    // It may hold credentials.
    report.problem(members.place(name), `is no plain http or https URL (not shown); write ${example}`)
  }
  return text
}

export function optionalSecret(members: Members, name: string, source: KeyServiceSource): Secret | undefined {
  return members.has(name) ? source.secretOf(members, name) : undefined
}

/** The path of a file; a problem in a request. */
export function filePath(members: Members, name: string, source: KeyServiceSource): string | undefined {
  const text = members.text(name)
  if (text === undefined) return undefined
  if (!source.isFile) {
    source.report.problem(members.place(name), 'names a file of this machine, which only the configuration file can do')
  }
  return resolve(source.cwd, text)
}

/** The secrets of a request, as texts. Nothing of a value is ever shown. */
export function bareSecret(report: Report, secret: (text: string) => Secret) {
  return (owner: Members, name: string): Secret | undefined => {
    const value = owner.raw(name)
    if (typeof value === 'string' && value.trim() !== '') return secret(value)
    const fault = value === '' ? 'is empty' : `is ${kindOf(value)}`
    report.problem(owner.place(name), `${fault}; send a text, not empty`)
    return undefined
  }
}

/** True if none of them is missing. */
export function areGiven<T extends Readonly<Record<string, Secret | undefined>>>(
  secrets: T,
): secrets is T & Readonly<Record<keyof T, Secret>> {
  return Object.values(secrets).every((each) => each !== undefined)
}
