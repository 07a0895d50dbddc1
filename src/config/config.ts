// What a configuration is, once it is parsed: plain values, with secrets apart. It is always safe to log.

import type { Policies } from '../domain/policy-table.ts'
import type { FaultyEntity, NetworkSettings, NotificationSettings } from '../domain/settings.ts'
import type { RpcHostRules } from '../ops/rpc-hosts.ts'
import type { Secret } from '../ops/secret.ts'
import type { KeyServiceSettings, KeyServiceType, VaultTransitSettings } from '../signers/settings.ts'
import type { Limits } from './limits.ts'
import type { ProxyConfig } from './parse-proxies.ts'

export interface Config {
  readonly role: Role
  readonly server: ServerConfig
  readonly logLevel: LogLevel
  readonly database: DatabaseConfig
  readonly encryption: EncryptionConfig
  readonly webhooks: WebhooksConfig
  /** Rules for the hosts that endpoints of networks may have; absent: all. */
  readonly rpcHosts?: RpcHostRules
  readonly relayers: readonly RelayerConfig[]
  readonly signers: readonly SignerConfig[]
  /** The environment that signers made by the API may use; absent: nothing. */
  readonly signerEnvironment?: SignerEnvironment
  /** Proxies before key services; absent: they are reached directly. */
  readonly proxies?: ProxyConfig
  readonly notifications: readonly NotificationSettings[]
  readonly networks: readonly NetworkSettings[]
  /** Faulty entities of the file; no relayer of it names them. Absent: none. */
  readonly faulty?: readonly FaultyEntity[]
  readonly retention: RetentionConfig
  /** Whether a send with a member without effect is refused. Absent: it is not. */
  readonly isStrict?: boolean
  readonly limits: Limits
  /** Warnings about members that were accepted, but not as their author may believe: each is worth a log line at start. */
  readonly warnings: readonly string[]
}

/** The parts of the work that a process does: take requests, advance relayers and deliver events, or both. */
export const roles = ['both', 'api', 'worker'] as const
export type Role = (typeof roles)[number]

export interface ServerConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The address of the metrics; absent: metrics are not served. */
  readonly metrics?: { readonly host: string; readonly port: number }
  /** Whether /docs and the OpenAPI document are served. */
  readonly isDocumented: boolean
  readonly hasDashboard: boolean
  /** Addresses and ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** The administrator's. Messages between replicas are sealed under a key that is derived from it. */
  readonly apiKey: Secret
  /** The administrator's key before or after a rotation. It opens messages of replicas that have it, and no request. */
  readonly apiKeyPrevious?: Secret
  readonly rateLimit: { readonly requestsPerSecond: number; readonly burst: number }
  /** The size of a node's answer that is passed on to a client. */
  readonly rpcAnswerBytesMax: number
  /** How long a client's connection without a request stays open. */
  readonly idleConnectionMs: number
}

export interface WebhooksConfig {
  /** Host names, addresses and CIDR ranges that may be reached although they are internal. */
  readonly allowedHosts: readonly string[]
}

/** `trace` writes the lines of `debug`. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export type DatabaseConfig =
  /** `path` is absolute. */
  { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret }

/** The keys of the secrets in the database: base64 of 32 bytes each. */
export interface EncryptionConfig {
  readonly current?: Secret
  /** Keys that still open the secrets that they sealed. */
  readonly previous: readonly Secret[]
}

/** How long rows stay that nothing needs any more. An absent member: for ever. */
export interface RetentionConfig {
  /** Counted from the end of a transaction. */
  readonly transactionsDays?: number
  /** An absolute path: the directory that receives transactions before they are removed. */
  readonly archive?: string
  readonly idempotencyKeysDays?: number
}

export interface RelayerConfig {
  readonly id: string
  readonly name: string
  readonly network: string
  readonly signerId: string
  readonly notificationId?: string
  readonly paused: boolean
  readonly policies: Policies
}

export type SignerConfig =
  | { readonly id: string; readonly type: 'plain'; readonly key: Secret }
  /** `path` is absolute. */
  | { readonly id: string; readonly type: 'local'; readonly path: string; readonly passphrase: Secret }
  | KeyServiceConfig

/** A key in a service. `shown` holds its settings without secrets, under the names of the file. */
type KeyServiceConfig =
  | {
      readonly id: string
      readonly type: KeyServiceType
      readonly settings: KeyServiceSettings
      readonly shown: ShownConfig
    }
  /** No relayer can use it. */
  | {
      readonly id: string
      readonly type: 'vault_transit'
      readonly settings: VaultTransitSettings
      readonly shown: ShownConfig
    }

export type ShownConfig = Readonly<Record<string, unknown>>

/** Facts of the environment: those that the platforms of providers set there, and the libraries that a request may name. */
export interface SignerEnvironment {
  readonly azureTenantId?: Secret
  readonly azureClientId?: Secret
  readonly azureFederatedTokenFile?: Secret
  readonly azureIdentity?: { readonly endpoint: string; readonly header: Secret }
  readonly pkcs11Modules: readonly string[]
}
