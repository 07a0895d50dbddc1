// The parameters of DATABASE_URL: each has its effect, or the service refuses it with a sentence. The driver would take any name,
// also of its own options, and ignore what it doesn't support.
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { ClientConfig } from 'pg'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { passwordFrom } from './password.ts'

const problem = (text: string) => new OperatorError(`DATABASE_URL: ${text}`)

const oneServer = 'the service works on one primary; name an address that leads to it, also after a failover'
const channelBinding = 'the driver can’t insist on it; take it out, and prove the server by sslmode=verify-full'

const honored = [
  ...['application_name', 'fallback_application_name', 'channel_binding', 'client_encoding', 'host', 'options'],
  ...['currentSchema', 'password', 'password_command', 'password_file', 'port', 'schema', 'search_path', 'ssl'],
  ...[
    'sslcert',
    'sslkey',
    'sslmode',
    'sslnegotiation',
    'sslrootcert',
    'target_session_attrs',
    'uselibpqcompat',
    'user',
  ],
]

/** The driver's settings for what the URL says. Throws OperatorError, without the value of any parameter that may be a secret. */
export function settingsIn(url: URL): ClientConfig {
  const given = url.searchParams
  refuseUnknown(given)
  const host = given.get('host') ?? decoded(url.hostname)
  if (host.includes(',')) throw problem(`names several hosts; ${oneServer}`)
  const port = given.get('port') ?? url.port
  if (port.includes(',')) throw problem(`names several ports; ${oneServer}`)
  const user = given.get('user') ?? decoded(url.username)
  const name = given.get('application_name') ?? given.get('fallback_application_name')
  const ssl = encryptionIn(given)
  const options = optionsIn(given)
  const password = passwordFrom(given) ?? given.get('password') ?? decoded(url.password)
  refuseUnfit(given)
  return {
    ...(host !== '' && { host: host.replace(/^\[(.+)\]$/, '$1') }),
    ...(port !== '' && { port: Number(port) }),
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    database: decoded(url.pathname.slice(1)),
    application_name: name ?? 'rescind',
    ...(ssl !== undefined && { ssl }),
    ...(options !== undefined && { options }),
    ...(given.get('sslnegotiation') === 'direct' && { sslnegotiation: 'direct' }),
    ...(given.get('channel_binding') === 'prefer' && { enableChannelBinding: true }),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw problem('holds a % that begins no character; write a % of the password as %25')
  }
}

function refuseUnknown(given: URLSearchParams): void {
  for (const name of new Set(given.keys())) {
    // A name that is none may be a part of a password that has a raw ? or &.
    if (!honored.includes(name)) {
      const shown = /^[a-z_]{1,40}$/i.test(name) && given.get(name) !== '' ? `${name} ` : ''
      throw problem(`the parameter ${shown}has no effect; take it out. docs/postgres.md lists those that have one`)
    }
    if (given.getAll(name).length > 1) throw problem(`the parameter ${name} is given twice; take one out`)
  }
}

function refuseUnfit(given: URLSearchParams): void {
  const encoding = given.get('client_encoding')
  if (encoding !== null && !/^(utf-?8|auto)$/i.test(encoding))
    throw problem('client_encoding is always UTF8; take it out')
  const target = given.get('target_session_attrs')
  if (target !== null && !['any', 'primary', 'read-write'].includes(target)) {
    throw problem(`target_session_attrs is for another server than the primary; ${oneServer}`)
  }
  const negotiation = given.get('sslnegotiation')
  if (negotiation !== null && !['postgres', 'direct'].includes(negotiation)) {
    throw problem('sslnegotiation is neither postgres nor direct')
  }
  const binding = given.get('channel_binding')
  if (binding === 'require') throw problem(`channel_binding=require: ${channelBinding}`)
  if (binding !== null && !['prefer', 'disable'].includes(binding)) {
    throw problem('channel_binding is neither prefer nor disable')
  }
}

/** The `options` as in the startup packet: a space of a value has a backslash before it. */
function optionsIn(given: URLSearchParams): string | undefined {
  const schemas = ['schema', 'currentSchema', 'search_path'].filter((name) => given.has(name))
  if (schemas.length > 1) throw problem(`${schemas.join(' and ')} mean the same; take one out`)
  const [parameter] = schemas
  const schema = parameter === undefined ? undefined : given.get(parameter)
  if (schema === '' || schema?.includes(',')) throw problem(`${parameter} must name one schema`)
  const quoted = schema && `"${schema.replaceAll('"', '""')}"`.replaceAll(/[\s\\]/g, String.raw`\$&`)
  const all = [given.get('options'), quoted && `-c search_path=${quoted}`].filter(Boolean)
  return all.length === 0 ? undefined : all.join(' ')
}

const modes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

/**
 * The encryption as the driver chooses it: every mode but disable and no-verify proves the server's certificate and its name,
 * unless `uselibpqcompat` weakens them to their meaning in libpq. Undefined without a parameter.
 */
function encryptionIn(given: URLSearchParams): ClientConfig['ssl'] {
  const mode = given.get('sslmode')
  const plain = given.get('ssl')
  if (mode !== null && !modes.includes(mode)) throw problem(`sslmode is none of ${modes.join(', ')}`)
  if (plain !== null && !['true', '1', 'false', '0', 'no-verify'].includes(plain)) {
    throw problem('ssl is none of true, false and no-verify; write sslmode=verify-full')
  }
  const files = ['sslrootcert', 'sslcert', 'sslkey'].filter((name) => given.has(name))
  if (mode === null && files.length === 0) {
    if (plain === null) return given.get('sslnegotiation') === 'direct' ? true : undefined
    return plain === 'no-verify' ? { rejectUnauthorized: false } : plain === 'true' || plain === '1'
  }
  if (mode === 'disable') return false
  const root = given.get('sslrootcert')
  const ca = root === null || root === 'system' ? undefined : fileOf('sslrootcert', root)
  const [cert, key] = (['sslcert', 'sslkey'] as const).map((name) => {
    const path = given.get(name)
    return path === null ? undefined : fileOf(name, path)
  })
  if ((cert === undefined) !== (key === undefined))
    throw problem('sslcert and sslkey belong together; give both or none')
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...proofOf(mode, given.get('uselibpqcompat') === 'true', ca !== undefined),
  }
}

function proofOf(mode: string | null, isLibpq: boolean, hasRoot: boolean): ConnectionOptions {
  if (mode === 'no-verify') return { rejectUnauthorized: false }
  if (!isLibpq) return {}
  if (mode === 'prefer' || (mode === 'require' && !hasRoot)) return { rejectUnauthorized: false }
  if (mode === 'verify-ca' && !hasRoot) throw problem('sslmode=verify-ca with uselibpqcompat needs sslrootcert')
  return mode === 'require' || mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}
}

function fileOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = memberOf(cause, 'code')
    throw new OperatorError(
      `DATABASE_URL: ${name} names a file that can't be read (${code}): ${path}; name one that the service's user may read`,
      { cause },
    )
  }
}
