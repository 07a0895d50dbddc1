// Reads a form of a signer's config by its table: the values of the settings, and the part of them that may be shown.
import { resolve } from 'node:path'
import { isShown, mayBeAbsent, type RowOf, type SignerForm, type SignerMember } from '../domain/signer-form.ts'
import { uncompressed } from '../ops/curve-point.ts'
import { httpUrl } from '../ops/http-url.ts'
import { faultOfHeaderValue } from '../ops/request-headers.ts'
import type { Secret } from '../ops/secret.ts'
import type { ValuesOf } from '../signers/settings.ts'
import type { ShownConfig, SignerEnvironment } from './config.ts'
import { type Members, readMembers, shown as shownValue } from './members.ts'
import { parseAddress } from './parse-whitelists.ts'
import { trimmed, warnOfBlanks } from './read-reference.ts'
import type { Report } from './report.ts'

/** The differences between the file and a request: who wrote it, and what the process runs with. */
export interface SignerSource {
  readonly report: Report
  /** A reference in the file, a text in a request. Reports an absent one. */
  secretOf(owner: Members, name: string): Secret | undefined
  /**
   * The settings are in the file. A request names no files of this machine, and sends no credentials of the machine where it
   * likes.
   */
  readonly isFile: boolean
  /** The start of relative paths. */
  readonly cwd: string
  readonly environment: SignerEnvironment
}

interface Read {
  readonly value: unknown
  /** Absent: the value. */
  readonly shown?: unknown
}

/** Undefined where a value is missing, which is reported. `shown` has the names of the file. */
export function readForm<Form extends SignerForm>(
  form: Form,
  content: unknown,
  at: string,
  source: SignerSource,
): { readonly values: ValuesOf<Form['members']>; readonly shown: ShownConfig } | undefined {
  const rows = Object.entries<SignerMember>(form.members)
  const names = [...rows.map(([, { name }]) => name), ...(form.unread ?? []), ...(form.refused ?? [])]
  const members = readMembers(content, at, names, source.report)
  const read = rows.map(([key, row]) => ({ key, row, ...readMember(row, members, source) }))
  if (read.some(({ row, value }) => value === undefined && !row.isOptional)) return undefined
  const given = read.filter(({ value }) => value !== undefined)
  return {
    // The table gives each key the type of its member.
    values: Object.fromEntries(given.map(({ key, value }) => [key, value])) as ValuesOf<Form['members']>,
    shown: Object.fromEntries(
      given.filter(({ row }) => isShown(row)).map(({ row, value, shown = value }) => [row.name, shown]),
    ),
  }
}

function readMember(row: SignerMember, members: Members, source: SignerSource): Read {
  const { name } = row
  const { report } = source
  switch (row.kind) {
    case 'text':
      return { value: readText(row, members, source) }
    case 'url':
      return { value: readUrl(row, members, source) }
    case 'secret':
      return { value: readSecret(row, members, source) }
    case 'way':
      return { value: row.value }
    case 'count':
      return { value: members.count(name, row) ?? row.default }
    case 'file':
      return { value: readFilePath(row, members, source) }
    case 'library':
      return { value: readLibrary(row, members, source) }
    case 'address':
      return { value: parseAddress(members.raw(name), members.place(name), report) }
    case 'publicKey': {
      const text = members.requiredText(name).trim()
      const value = uncompressed(text)
      if (text !== '' && value === undefined) {
        const wanted = '66 hex digits (compressed) or 130 (uncompressed), with or without 0x'
        report.problem(members.place(name), `is no public key of secp256k1; write ${wanted}`)
      }
      return { value, shown: text }
    }
    case 'object': {
      if (row.isOptional && !members.has(name)) return { value: undefined }
      const read = readForm(row, members.raw(name), members.place(name), source)
      return { value: read?.values, shown: read?.shown }
    }
  }
}

function readText(row: RowOf<'text'>, members: Members, { report, isFile }: SignerSource): string | undefined {
  const { name, meaning, pattern, onlyInRequests } = row
  const isOptional = mayBeAbsent(row)
  const given = isOptional ? (members.text(name) ?? row.default) : members.requiredText(name)
  const text = pattern === undefined ? given : given?.trim()
  if (text === undefined || text === '') return text
  if (pattern !== undefined && !new RegExp(`^(${pattern})$`).test(text)) {
    const fix = `write ${meaning}${isOptional ? ', or leave it out' : ''}`
    report.problem(members.place(name), `is ${shownValue(text)}; ${fix}`)
  }
  if (row.inHeader) checkHeader(members, name, text, report)
  if (onlyInRequests && !isFile && text !== onlyInRequests.value) {
    report.problem(members.place(name), onlyInRequests.fault)
  }
  return text
}

/** An http or https URL without credentials, query and fragment. */
export function isPlain(text: string): boolean {
  const url = httpUrl(text)
  return url !== undefined && !url.username && !url.password && !url.search && !url.hash
}

function readUrl(row: RowOf<'url'>, members: Members, { report, isFile }: SignerSource): string {
  const { name, hostsInRequests: hosts } = row
  const problem = (message: string) => report.problem(members.place(name), message)
  const text = members.requiredText(name).trim()
  if (text === '') return text
  if (!isPlain(text)) {
    // It may hold credentials.
    problem(`is no plain http or https URL (not shown); write "${row.example}"`)
  }
  if (row.isSafe && !/^https:/i.test(text)) {
    problem('is not https, and a token would leave in the clear; write "https://…"')
  }
  if (hosts && !isFile && !new RegExp(`${hosts.pattern}$`).test(httpUrl(text)?.hostname ?? '')) problem(hosts.fault)
  return text
}

function readSecret(row: RowOf<'secret'>, members: Members, source: SignerSource): Secret | undefined {
  const { name, fallback } = row
  const { report, isFile, environment } = source
  if (row.inFileOnly && !isFile) refuseFile(members, name, report)
  const known = fallback && environment[fallback]
  if (!members.has(name) && (row.isOptional || known)) return known
  const given = source.secretOf(members, name)
  if (given && isFile && !row.isTrimmed) warnOfBlanks(given, members.place(name), report)
  const taken = row.isTrimmed ? trimmed(given) : given
  if (taken && row.inHeader) checkHeader(members, name, taken.reveal(), report)
  if (taken && row.isPrivateKey && !/^(0x)?[0-9a-fA-F]{64}$/.test(taken.reveal())) {
    const wanted = '64 hexadecimal digits, with or without 0x'
    report.problem(members.place(name), `refers to a value that is no private key; give it ${wanted}`)
  }
  return taken
}

function readFilePath(row: RowOf<'file'>, members: Members, source: SignerSource): string | undefined {
  if (!source.isFile) refuseFile(members, row.name, source.report)
  const text = mayBeAbsent(row) ? (members.text(row.name) ?? row.default) : members.requiredText(row.name)
  return text === undefined ? undefined : resolve(source.cwd, text)
}

function refuseFile(members: Members, name: string, report: Report): void {
  if (!members.has(name)) return
  report.problem(members.place(name), 'names a file of this machine, which only the configuration file can do')
}

/** A library runs in this process, with all its rights. */
function readLibrary({ name }: SignerMember, members: Members, source: SignerSource): string {
  const { report, isFile, cwd, environment } = source
  const library = resolve(cwd, members.requiredText(name))
  if (!isFile && !environment.pkcs11Modules.includes(library)) {
    const fix = 'add its path to PKCS11_MODULES and restart, or use the configuration file'
    report.problem(members.place(name), `is a library that requests may not name; ${fix}`)
  }
  return library
}

function checkHeader(members: Members, name: string, value: string, report: Report): void {
  const fault = faultOfHeaderValue(value)
  if (fault !== undefined) report.problem(members.place(name), fault)
}
