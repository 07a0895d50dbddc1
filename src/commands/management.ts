// What every command on the registry needs: beside the store, what runs, and how a key is opened and sealed.
import { RescindError } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Policies } from '../domain/policy-table.ts'
import type { AddressGuard } from '../ops/guard-addresses.ts'
import type { Logger } from '../ops/logger.ts'
import type { Secret } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { Registry } from '../registry/registry.ts'
import type { Signer } from '../signers/signer.ts'
import type { CommandContext } from './context.ts'

export interface ManagementContext extends CommandContext {
  readonly registry: Registry
  readonly vault: Vault
  readonly logger: Logger
  /** Tells other processes on the database that there is something new to look at. */
  readonly announce: () => void
  /** What webhooks may reach. */
  readonly guard: AddressGuard
  /** Throws OperatorError for a key that is none; nothing of it is told. */
  readonly openSigner: (id: string, key: Secret) => Promise<Signer>
  /** In the form of the configuration file, and under its rules; what is absent is at its default. */
  readonly readPolicies: (
    members: PolicyMembers,
  ) => { readonly policies: Policies; readonly warnings: readonly string[] } | { readonly problems: Problems }
}

export type PolicyMembers = Readonly<Record<string, unknown>>
type Problems = readonly { readonly place: string; readonly message: string }[]

/** Throws INVALID_REQUEST. */
export function policiesFrom({ readPolicies }: ManagementContext, members: PolicyMembers): Policies {
  const read = readPolicies(members)
  if ('policies' in read) return read.policies
  const problems = read.problems.map(({ place, message }) => `${place}: ${message}`)
  throw new RescindError('INVALID_REQUEST', problems.join('; '))
}

/** Throws STORAGE_KEY_MISSING where there is no key to store a secret under. */
export function requireKey({ vault }: ManagementContext, what: string): void {
  if (vault.canSeal) return
  throw new RescindError(
    'STORAGE_KEY_MISSING',
    `${what} would be stored, and there is no key to seal it with; set STORAGE_ENCRYPTION_KEY to base64 of 32 bytes (openssl rand -base64 32), and restart`,
  )
}

/**
 * Throws INVALID_REQUEST for a URL that leads inside by its host alone. What a name leads to is not asked: it may lead
 * elsewhere later, so that each delivery looks it up.
 */
export function refuseInside({ guard }: ManagementContext, url: Secret): void {
  const target = new URL(url.reveal())
  const refusal = guard.refusalOf(target)
  if (refusal === undefined) return
  const fix = 'send a public one, or if that is meant, add the host or its range to WEBHOOK_ALLOWED_HOSTS and restart'
  throw new RescindError('INVALID_REQUEST', `url: ${refusal} (${target.hostname}); ${fix}`)
}

/** What is taken of them, and may not be what was meant: in words. */
export function adviceOn({ readPolicies }: ManagementContext, members: PolicyMembers | null = {}): readonly string[] {
  const read = readPolicies(members ?? {})
  return 'warnings' in read ? read.warnings : []
}

/** After the commit: what runs follows what is stored. A change that can't take effect now does so at the next look. */
export async function takeEffect(
  { registry, logger, wake, announce }: ManagementContext,
  relayers: readonly RelayerId[] = [],
) {
  announce()
  try {
    await registry.refresh()
  } catch (err) {
    logger.error({ err }, 'a change of the configuration is stored, and could not take effect')
  }
  for (const relayer of relayers) wake(relayer)
}

export function notInFile(kind: string, id: string, isInFile: boolean, instead: string): void {
  if (!isInFile) return
  throw new RescindError('CONFIGURED_BY_FILE', `${kind} "${id}" is in the configuration file; ${instead}`)
}
