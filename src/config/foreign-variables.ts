// Variables of OpenZeppelin Relayer. Those that protect somebody are honored. The others have no effect, and are named once.
import type { RpcHostRules } from '../ops/rpc-hosts.ts'
import type { DatabaseConfig } from './config.ts'
import { listSetting, setting } from './environment.ts'
import type { Environment } from './read-reference.ts'
import type { Report } from './report.ts'

/** Read only to name them. */
export const variablesWithoutEffect: readonly string[] = [
  ...[
    'REPOSITORY_STORAGE_TYPE',
    'RESET_STORAGE_ON_START',
    'TRANSACTION_EXPIRATION_HOURS',
    'QUEUE_BACKEND',
    'IN_DOCKER',
  ],
  ...[
    'REDIS_URL',
    'REDIS_READER_URL',
    'REDIS_KEY_PREFIX',
    'REDIS_CONNECTION_TIMEOUT_MS',
    'REDIS_CONNECTION_TIMEOUT',
    'REDIS_CONNECTION_MAX_AGE_MS',
  ],
  ...['REDIS_POOL_MAX_SIZE', 'REDIS_READER_POOL_MAX_SIZE', 'REDIS_POOL_TIMEOUT_MS'],
  ...['RUST_LOG', 'LOG_MODE', 'LOG_FORMAT', 'LOG_DATA_DIR', 'LOG_MAX_SIZE', 'ENABLE_SWAGGER', 'RATE_LIMIT_RPS'],
  ...['RPC_TIMEOUT_MS', 'RPC_FAILURE_THRESHOLD', 'RPC_PAUSE_DURATION_SECS', 'RELAYER_CONCURRENCY_LIMIT'],
  ...['CONNECTION_BACKLOG', 'MAX_CONNECTIONS', 'REQUEST_TIMEOUT_SECONDS'],
]

/** Each begins many names. */
const prefixes = /^(PROVIDER|SQS|PUBSUB|RABBITMQ|BACKGROUND_WORKER|PLUGIN|STELLAR_MAINNET|STELLAR_TESTNET)_/
/** Kubernetes sets such names for each service of a namespace. */
const ofKubernetes = /_(SERVICE_(HOST|PORT)|PORT)(_|$)/

/** One warning, so that an operator reads at start which settings are gone. */
export function warnOfForeign(env: Environment, report: Report): void {
  const prefixed = Object.keys(env).filter((name) => prefixes.test(name) && !ofKubernetes.test(name))
  const named = [...variablesWithoutEffect, ...prefixed.sort()].filter((name) => setting(env, name) !== undefined)
  if (named.length > 0) report.warn('environment', `variables without effect on this service: ${named.join(', ')}`)
}

/** Several processes that share a file would be several: each has its own file, and so its own idea of the nonces of an account. */
export function refuseDistributedFile(env: Environment, database: DatabaseConfig, report: Report): void {
  const mode = setting(env, 'DISTRIBUTED_MODE')?.toLowerCase() ?? 'false'
  if (!['true', '1'].includes(mode) || database.kind === 'postgres') return
  report.problem(
    'DISTRIBUTED_MODE',
    "is true, and the SQLite file of DATABASE_URL is one process's: a second file would use the same nonces again; give DATABASE_URL a PostgreSQL server, or take DISTRIBUTED_MODE away",
  )
}

export function parseRpcHosts(env: Environment, report: Report): RpcHostRules {
  const blocks = setting(env, 'RPC_BLOCK_PRIVATE_IPS')?.toLowerCase() ?? 'false'
  if (!['true', 'false', '1', '0'].includes(blocks)) {
    report.problem('RPC_BLOCK_PRIVATE_IPS', `is "${blocks}"; write true or false`)
  }
  return { allowed: listSetting(env, 'RPC_ALLOWED_HOSTS'), blocksInternal: ['true', '1'].includes(blocks) }
}
