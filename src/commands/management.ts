// The context of every command on the registry, which also opens and seals secrets, and the steps that these commands
// share.
import { RescindError } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import { keepsBalance, refusalOfKept } from '../domain/no-balance.ts'
import type { Policies } from '../domain/policy-table.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { EndpointSettings } from '../domain/settings.ts'
import type { SignerType } from '../domain/signer-table.ts'
import { refusalOfSkipping } from '../domain/skip-beside-reserve.ts'
import type { Wei } from '../domain/units.ts'
import type { AddressGuard } from '../ops/guard-addresses.ts'
import type { Logger } from '../ops/logger.ts'
import type { RefuseRpcHost } from '../ops/rpc-hosts.ts'
import type { Secret } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { SignerFacts } from '../registry/entities.ts'
import type { Registry } from '../registry/registry.ts'
import type { Signer } from '../signers/signer.ts'
import type { CommandContext } from './context.ts'

export interface ManagementContext extends CommandContext {
  readonly registry: Registry
  readonly vault: Vault
  readonly logger: Logger
  /** The code of the failure that keeps a signer of the file from its first opening. Absent where all have opened. */
  readonly awaitedCode?: (signerId: string) => string | undefined
  /** Notifies other processes on the database that the registry has changed. */
  readonly announce: () => void
  /** Decides which addresses webhooks may reach. */
  readonly guard: AddressGuard
  /** Refuses endpoints of networks by their hosts. Absent: none is refused. */
  readonly refuseRpcHost?: RefuseRpcHost
  /** Reads the body of a signer, under the rules of the configuration file. */
  readonly readSigner: (id: string, body: SignerBody) => NewSigner | { readonly problems: Problems }
  /** Reads members in the configuration file's form and under its rules. An absent member is at its default. */
  readonly readPolicies: (
    members: PolicyMembers,
  ) => { readonly policies: Policies; readonly warnings: readonly string[] } | { readonly problems: Problems }
}

/** The signer as the request sent it. */
export interface SignerBody {
  readonly type: string
  readonly config: unknown
  readonly address?: string
}

export interface NewSigner {
  readonly type: SignerType
  /** The configuration without secrets. */
  readonly config: SignerFacts['config']
  /** The text to seal: with it, the signer opens again. */
  readonly secret: Secret
  /** Throws OperatorError, which reveals no secret. Undefined for a signer that no relayer can use. */
  open(): Promise<Signer | undefined>
}

export type PolicyMembers = Readonly<Record<string, unknown>>
type Problems = readonly { readonly place: string; readonly message: string }[]

/** A body may have a problem in each of its members. */
const namedProblemsMax = 10

/** Throws INVALID_REQUEST. */
export function policiesFrom({ readPolicies }: ManagementContext, members: PolicyMembers): Policies {
  const read = readPolicies(members)
  if ('policies' in read) return read.policies
  throw refusedBy(read.problems)
}

export function refusedBy(problems: Problems): RescindError {
  const texts = problems.slice(0, namedProblemsMax).map(({ place, message }) => `${place}: ${message}`)
  if (problems.length > namedProblemsMax) texts.push(`and ${problems.length - namedProblemsMax} more of them`)
  return new RescindError('INVALID_REQUEST', texts.join('; '))
}

/** Throws STORAGE_KEY_MISSING where there is no key to seal a secret with. */
export function requireKey({ vault }: ManagementContext, what: string): void {
  if (vault.canSeal) return
  throw new RescindError(
    'STORAGE_KEY_MISSING',
    `${what} would be stored, and there is no key to seal it with; set STORAGE_ENCRYPTION_KEY to base64 of 32 bytes (openssl rand -base64 32), and restart`,
  )
}

/** Throws STORAGE_KEY_MISSING where a policy stores signed bytes, and there is no key to seal them with. */
export function requireKeyFor(context: ManagementContext, { presignCancel }: Policies): void {
  if (presignCancel) requireKey(context, 'presign_cancel: each pre-signed no-op')
}

/** Throws INVALID_REQUEST where a policy does not fit the network. */
export function refuseSkipping({ registry }: ManagementContext, { policies, network }: Relayer): void {
  const settings = registry.networks().find(({ name }) => name === network)
  const refusal = settings && refusalOfSkipping(policies, settings)
  if (refusal !== undefined) throw new RescindError('INVALID_REQUEST', `policies.skip_unfunded: ${refusal}`)
}

/** Throws INVALID_REQUEST where policies keep a part of a balance that the chain does not have. Without an answer of a node nothing is refused. */
export async function refuseKept({ registry }: ManagementContext, relayer: Relayer): Promise<void> {
  if (!keepsBalance(relayer.policies)) return
  const balance = await balanceOf(registry, relayer)
  const refusal = balance === undefined ? undefined : refusalOfKept(relayer.policies, balance)
  if (refusal !== undefined) throw new RescindError('INVALID_REQUEST', `policies.${refusal}`)
}

async function balanceOf(registry: Pick<Registry, 'chainOf'>, relayer: Relayer): Promise<Wei | undefined> {
  try {
    return await registry.chainOf(relayer).balance(relayer.address)
  } catch {
    return undefined
  }
}

/**
 * Throws INVALID_REQUEST for a URL whose host alone leads inside. A name is not resolved here: it may lead elsewhere
 * later, so each delivery resolves it.
 */
export function refuseInside({ guard }: ManagementContext, url: Secret): void {
  const target = new URL(url.reveal())
  const refusal = guard.refusalOf(target)
  if (refusal === undefined) return
  const fix =
    'send a public one, or if this is intended, add the host or its range to WEBHOOK_ALLOWED_HOSTS and restart'
  throw new RescindError('INVALID_REQUEST', `url: ${refusal} (${target.hostname}); ${fix}`)
}

/** Throws INVALID_REQUEST for an endpoint whose host the operator does not allow. */
export function refuseEndpoints(
  { refuseRpcHost }: ManagementContext,
  field: string,
  endpoints: readonly Pick<EndpointSettings, 'url'>[],
): void {
  for (const [index, { url }] of endpoints.entries()) {
    const target = new URL(url.reveal())
    const refusal = refuseRpcHost?.(target)
    if (refusal === undefined) continue
    throw new RescindError(
      'INVALID_REQUEST',
      `${field}[${index}]: ${refusal} (${target.hostname}); send another node, or change the variable and restart`,
    )
  }
}

/** Warnings about valid members that may not be as intended. */
export function adviceOn({ readPolicies }: ManagementContext, members: PolicyMembers | null = {}): readonly string[] {
  const read = readPolicies(members ?? {})
  return 'warnings' in read ? read.warnings : []
}

/**
 * Called after the commit: applies the stored change to this process. If that fails now, the next refresh tries again.
 */
export async function takeEffect(
  { registry, logger, wake, announce }: ManagementContext,
  relayers: readonly RelayerId[] = [],
) {
  announce()
  try {
    await registry.refresh()
  } catch (err) {
    logger.error({ err }, 'a change of the registry is stored, but could not take effect')
  }
  for (const relayer of relayers) wake(relayer)
}

export function notInFile(kind: string, id: string, isInFile: boolean, instead: string): void {
  if (!isInFile) return
  throw new RescindError('CONFIGURED_BY_FILE', `${kind} "${id}" is in the configuration file; ${instead}`)
}

export function usedBy(kind: 'signer' | 'notification', id: string, relayers: readonly RelayerId[]): string {
  return `${kind} "${id}" is used by ${relayers.map((relayer) => `relayer "${relayer}"`).join(', ')}`
}
