// The environment's part of the configuration, with the `.env` file of the working directory beneath it.
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { secret, secretUrl } from '../ops/secret.ts'
import {
  type DatabaseConfig,
  type EncryptionConfig,
  type LogLevel,
  logLevels,
  type Role,
  roles,
  type ServerConfig,
  type WebhooksConfig,
} from './config.ts'
import { limits } from './limits.ts'
import { suggestion } from './members.ts'
import { fileErrorCode } from './read-json.ts'
import type { Environment } from './read-reference.ts'
import { openReport, type Report } from './report.ts'

/** A variable that is set to nothing counts as not set, as in a .env with an empty line for it. */
export function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** A variable whose default is the widest of its values, so that an empty one, whose value was lost, is refused. */
function wideSetting(env: Environment, name: string, wanted: string, report: Report): string | undefined {
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

function wholeNumber(
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

/** The variables of `.env`, and over them those of the real environment. */
export async function withDotEnv(env: Environment, cwd: string, report: Report): Promise<Environment> {
  try {
    return { ...parseEnv(await readFile(join(cwd, '.env'), 'utf8')), ...env }
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') {
      report.problem('.env', `can't be read (${fileErrorCode(error)}); let the user that runs the service read it`)
    }
    return env
  }
}

export function parseServer(env: Environment, report: Report): ServerConfig {
  const key = setting(env, 'API_KEY')
  const previous = setting(env, 'API_KEY_PREVIOUS')
  if (key === undefined) {
    report.problem(
      'API_KEY',
      `is not set; set it to ${limits.apiKeyCharactersMin} random characters or more, and give them to clients`,
    )
  } else checkAdministratorKey('API_KEY', key, report)
  if (previous !== undefined) checkAdministratorKey('API_KEY_PREVIOUS', previous, report)
  if (previous !== undefined && previous === key) {
    report.problem('API_KEY_PREVIOUS', 'is API_KEY as well; take it away, or set it to the other key of a rotation')
  }
  const ceiling = limits.rateLimitMax
  const host = setting(env, 'HOST') ?? '127.0.0.1'
  if (publishedKeys.includes(key ?? '') && !isLoopback(host)) {
    report.problem(
      'API_KEY',
      `is published in the documents, and HOST is ${host}; make a key of your own: openssl rand -hex 32`,
    )
  }
  return {
    host,
    ...ports(env, host, report),
    isDocumented: flag(env, 'DOCS_ENABLED', report),
    hasDashboard: flag(env, 'DASHBOARD_ENABLED', report),
    trustedProxies: proxies(env, report),
    apiKey: secret(key ?? ''),
    ...(previous !== undefined && { apiKeyPrevious: secret(previous) }),
    rateLimit: {
      requestsPerSecond: wholeNumber(
        env,
        'RATE_LIMIT_REQUESTS_PER_SECOND',
        limits.rateLimitPerSecondDefault,
        1,
        ceiling,
        report,
      ),
      burst: wholeNumber(env, 'RATE_LIMIT_BURST_SIZE', limits.rateLimitBurstDefault, 1, ceiling, report),
    },
    rpcAnswerBytesMax: wholeNumber(
      env,
      'RPC_ANSWER_BYTES_MAX',
      limits.rpcAnswerBytesDefault,
      limits.rpcAnswerBytesMin,
      limits.rpcAnswerBytesMax,
      report,
    ),
    idleConnectionMs:
      1_000 * wholeNumber(env, 'IDLE_CONNECTION_SECONDS', limits.idleConnectionSecondsDefault, 1, 86_400, report),
  }
}

function checkAdministratorKey(name: string, key: string, report: Report): void {
  const charactersMin = limits.apiKeyCharactersMin
  if (key.length < charactersMin) {
    report.problem(name, `has ${key.length} characters; it needs ${charactersMin} or more`)
  } else if (!/^[\x21-\x7e]+$/.test(key)) {
    report.problem(name, 'holds a space or a character outside ASCII; an Authorization header could not carry it')
  }
}

/** Keys of the examples, which are public. */
export const publishedKeys: readonly string[] = [
  'for-trials-on-this-machine-only-change-me',
  'to-be-replaced-by-32-characters-or-more',
]

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function ports(env: Environment, host: string, report: Report): Pick<ServerConfig, 'port' | 'metrics'> {
  const port = portOf(env, 'APP_PORT', 8080, report)
  const metricsPort = portOf(env, 'METRICS_PORT', 8081, report)
  if (!flag(env, 'METRICS_ENABLED', report)) return { port }
  if (metricsPort === port && port !== 0) {
    report.problem(
      'METRICS_PORT',
      `is ${port}, which is APP_PORT as well; give it another, or set METRICS_ENABLED=false`,
    )
  }
  return { port, metrics: { host: wideSetting(env, 'METRICS_HOST', 'an address', report) ?? host, port: metricsPort } }
}

/** Kubernetes sets NAME_PORT for each Service of a namespace, so that one called "metrics" sets METRICS_PORT: nobody meant it. */
function portOf(env: Environment, name: string, fallback: number, report: Report): number {
  const value = setting(env, name)
  if (value === undefined || !/^(tcp|udp|sctp):\/\//.test(value))
    return wholeNumber(env, name, fallback, 0, 65_535, report)
  report.warn(
    name,
    `is "${value}", which Kubernetes sets for a Service; it is ignored, and the port is ${fallback}; set enableServiceLinks: false`,
  )
  return fallback
}

/** True unless it is set to false. */
function flag(env: Environment, name: string, report: Report): boolean {
  const value = wideSetting(env, name, 'true or false', report)?.toLowerCase() ?? 'true'
  if (value !== 'true' && value !== 'false') report.problem(name, `is "${value}"; write true or false`)
  return value !== 'false'
}

/** Addresses or CIDR ranges, separated by commas. */
function proxies(env: Environment, report: Report): readonly string[] {
  const given = listSetting(env, 'TRUSTED_PROXIES')
  for (const each of given.filter((one) => !isRange(one))) {
    report.problem('TRUSTED_PROXIES', `"${each}" is no address or range; write them like 10.0.0.7 or 10.0.0.0/8`)
  }
  return given
}

/** Host names, addresses or CIDR ranges that webhooks may reach although they are internal, separated by commas. */
export function parseWebhooks(env: Environment, report: Report): WebhooksConfig {
  const allowedHosts = listSetting(env, 'WEBHOOK_ALLOWED_HOSTS')
  for (const each of allowedHosts) {
    const isName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/i.test(each)
    if (isRange(each) || (isName && !/^[\d.]+$/.test(each))) continue
    report.problem(
      'WEBHOOK_ALLOWED_HOSTS',
      `"${each}" is no host name, address or range; write them like hooks.internal, 10.0.0.7 or 10.0.0.0/8`,
    )
  }
  return { allowedHosts }
}

/** An address, or a CIDR range of them. */
function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  const most = family === 4 ? 32 : 128
  return family !== 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}

export function parseDatabase(env: Environment, cwd: string, report: Report): DatabaseConfig {
  const url = setting(env, 'DATABASE_URL') ?? 'sqlite:./data/rescind.db'
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1]
  // The value is not shown: the URL of a database server holds its password.
  if (/^postgres(ql)?:/.test(url)) return parsePostgres(url, report)
  if (path === undefined) {
    report.problem(
      'DATABASE_URL',
      'is not of the form sqlite:PATH, such as sqlite:./data/rescind.db, or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    )
  } else if (path.startsWith(':memory:')) {
    report.problem('DATABASE_URL', 'is in memory, where a restart loses transactions; write sqlite:PATH of a file')
  }
  return { kind: 'sqlite', path: resolve(cwd, path ?? 'data/rescind.db') }
}

function parsePostgres(given: string, report: Report): DatabaseConfig {
  // As in libpq, a URL whose parameter names the host, such as the folder of a socket, needs none before its path.
  const url = given.replace(/^(postgres(?:ql)?:\/\/[^/?#]+@)(?=\/[^?#]*\?(?:.*&)?host=.)/, '$1localhost')
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const problem = postgresProblem(url, parsed)
  if (problem !== undefined) report.problem('DATABASE_URL', problem)
  return { kind: 'postgres', url: parsed ? secretUrl(parsed) : secret(url) }
}

/** The problem of a URL, if any. A raw character that ends the password is refused: the rest would be shown as the host. */
function postgresProblem(url: string, parsed: URL | undefined): string | undefined {
  const form = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'
  const encoded = 'characters such as @, /, ? or # of a password as %40, %2F, %3F or %23'
  const behindUser = url.slice(url.lastIndexOf('@') + 1)
  const isBroken = parsed !== undefined && (parsed.hash !== '' || /@/.test(parsed.pathname + rawQuery(parsed)))
  if (isBroken) return `is misread, as its user or password has a character that ends them; write ${encoded}`
  if (/^[^/?]*,/.test(behindUser.replace(/^postgres(ql)?:\/\//, '')) && url.includes('//')) {
    return 'names several hosts; name one address that leads to the primary, also after a failover'
  }
  if (!parsed) return `is not a URL; write ${form}, and ${encoded}`
  return parsed.pathname.length < 2 ? `names no database; write ${form}` : undefined
}

/** The query without the values that may have an @. */
function rawQuery({ searchParams }: URL): string {
  const free = ['application_name', 'fallback_application_name', 'options', 'password', 'password_command', 'user']
  return [...searchParams].map(([name, value]) => (free.includes(name) ? name : name + value)).join()
}

/** Under which keys secrets are stored that are given through the API: base64 of 32 bytes each. */
export function parseEncryption(env: Environment, report: Report): EncryptionConfig {
  const current = setting(env, 'STORAGE_ENCRYPTION_KEY')
  const previous = listSetting(env, 'STORAGE_ENCRYPTION_KEYS_PREVIOUS')
  const check = (name: string, keys: readonly string[]) => {
    if (keys.every((key) => /^[A-Za-z0-9+/_-]{43}=?$/.test(key))) return
    // Not shown: a key with a typo is still most of a key.
    report.problem(name, 'is not base64 of 32 bytes; make a key with "openssl rand -base64 32"')
  }
  check('STORAGE_ENCRYPTION_KEY', current === undefined ? [] : [current])
  check('STORAGE_ENCRYPTION_KEYS_PREVIOUS', previous)
  return { ...(current !== undefined && { current: secret(current) }), previous: previous.map((key) => secret(key)) }
}

/** The role. It depends on `database`: without a server there is nobody to share it with. */
export function parseRole(env: Environment, database: DatabaseConfig, report: Report): Role {
  const role = wideSetting(env, 'ROLE', roles.join(', '), report) ?? 'both'
  const found = roles.find((known) => known === role.toLowerCase())
  if (!found) report.problem('ROLE', `is "${role}"; ${suggestion(role, roles)}`)
  else if (found !== 'both' && database.kind === 'sqlite') {
    report.problem(
      'ROLE',
      `is "${role}", and the SQLite file of DATABASE_URL is one process's; take ROLE away, or give DATABASE_URL a PostgreSQL server`,
    )
  }
  return found ?? 'both'
}

export function parseLogLevel(env: Environment, report: Report): LogLevel {
  const level = setting(env, 'LOG_LEVEL') ?? 'info'
  if (/[=,[\]]/.test(level)) {
    report.warn('LOG_LEVEL', 'is a filter of log lines by their source, which has no effect; the level is info')
    return 'info'
  }
  const found = logLevels.find((known) => known === level.toLowerCase())
  if (!found) report.problem('LOG_LEVEL', `is "${level}"; ${suggestion(level, logLevels)}`)
  return found ?? 'info'
}

export function configPath(env: Environment, cwd: string): { path: string; shownAs: string } {
  const shownAs = join(setting(env, 'CONFIG_DIR') ?? './config', setting(env, 'CONFIG_FILE_NAME') ?? 'config.json')
  return { path: resolve(cwd, shownAs), shownAs }
}

/** Where data is stored, for callers that need no more. `cwd`: what relative paths start from, and where `.env` is. Throws ConfigError. */
export async function loadDatabase(realEnv: Environment, cwd: string): Promise<DatabaseConfig> {
  const report = openReport()
  const database = parseDatabase(await withDotEnv(realEnv, cwd, report), cwd, report)
  report.conclude()
  return database
}
