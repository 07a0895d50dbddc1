// PATCH of a relayer, in force from its next step. A pause binds no more nonces; transactions in flight continue.
import type { Requester } from '../../domain/audit.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { type Policies, policiesBy } from '../../domain/policy-table.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { EndpointSettings } from '../../domain/settings.ts'

import { overlayOf } from '../../registry/overlay.ts'
import { relayerFromEntity, relayerToEntity, sealEndpoints } from '../../registry/stored-entities.ts'
import type { Session } from '../../store/store.ts'
import {
  type ManagementContext,
  type PolicyMembers,
  policiesFrom,
  refuseEndpoints,
  refuseKept,
  refuseSkipping,
  requireKey,
  requireKeyFor,
  takeEffect,
} from '../management.ts'
import { refuseMissing } from './create-relayer.ts'
import { recordChange } from './record-change.ts'

/** A JSON Merge Patch (RFC 7396): null removes a member, so that its default counts. */
interface RelayerPatch {
  readonly name?: string
  readonly notificationId?: string | null
  readonly paused?: boolean
  /** Policies in the form of the configuration file. Null for the whole is null for each member. */
  readonly policies?: PolicyMembers | null
  readonly endpoints?: readonly EndpointSettings[] | null
}

/** Throws RELAYER_NOT_FOUND, INVALID_REQUEST, CONFIGURED_BY_FILE, STORAGE_KEY_MISSING. */
export async function updateRelayer(
  context: ManagementContext,
  id: RelayerId,
  patch: RelayerPatch,
  requester: Requester,
): Promise<Relayer> {
  if (patch.endpoints) refuseEndpoints(context, 'custom_rpc_urls', patch.endpoints)
  if (patch.endpoints) requireKey(context, 'custom_rpc_urls')
  // The commit waits for no node.
  const before = patch.policies ? await context.store.reads.relayer(id) : undefined
  if (before) await refuseKept(context, patched(context, before, patch))
  const updated = await context.store.commit(async (session) => {
    const next = await patchRelayer(context, session, id, patch)
    await recordChange(session, id, requester, context.clock.now(), membersOf(patch))
    return next
  })
  await takeEffect(context, [id])
  return updated
}

/** Patches a relayer in a unit of the caller, which records the audit. Later changes of the registry wait for the unit. */
export async function patchRelayer(
  context: ManagementContext,
  session: Session,
  id: RelayerId,
  patch: RelayerPatch,
): Promise<Relayer> {
  await session.raiseRevision()
  const found = await session.relayer(id)
  if (!found) throw relayerNotFound(id)
  const next = patched(context, found, patch)
  if (patch.policies) requireKeyFor(context, next.policies)
  if (patch.policies) refuseSkipping(context, next)
  if (patch.notificationId) await refuseMissing(context, session, next)
  await session.saveRelayer(next)
  await keep(context, session, next, patch)
  return next
}

/** The patched members by their names in the API. */
function membersOf({ name, notificationId, paused, policies, endpoints }: RelayerPatch): readonly string[] {
  const given = { name, notification_id: notificationId, paused, custom_rpc_urls: endpoints }
  const named = Object.entries(given).flatMap(([member, value]) => (value === undefined ? [] : [member]))
  return [
    ...named,
    ...(policies === null ? ['policies'] : Object.keys(policies ?? {}).map((each) => `policies.${each}`)),
  ]
}

/**
 * Stores an overlay for a relayer that the file owns. A relayer that the file no longer names can't be changed: each
 * start pauses it.
 */
async function keep(
  { registry, vault }: ManagementContext,
  session: Session,
  relayer: Relayer,
  { endpoints }: RelayerPatch,
): Promise<void> {
  const { id } = relayer
  const known = await session.entity('relayer', id)
  const inFile = registry.file.relayers.find((each) => each.id === id)
  const isOwn = known !== undefined && relayerFromEntity(known).origin === 'api'
  if (!inFile && !isOwn) {
    throw new RescindError(
      'CONFIGURED_BY_FILE',
      `relayer "${id}" is from a configuration file that no longer names it; put it back there, or delete it`,
    )
  }
  const at = { kind: 'relayer', id } as const
  const sealed = endpoints === undefined ? known?.sealed : endpoints ? sealEndpoints(vault, at, endpoints) : undefined
  if (!inFile) return session.saveEntity(relayerToEntity(id, { origin: 'api' }, sealed))
  const overlay = overlayOf(inFile, relayer)
  const isNothing = Object.keys(overlay).length === 0 && sealed === undefined
  if (isNothing) return session.removeEntity('relayer', id)
  return session.saveEntity(relayerToEntity(id, { origin: 'file', overlay }, sealed))
}

function patched(context: ManagementContext, relayer: Relayer, patch: RelayerPatch): Relayer {
  const { notificationId: before, ...rest } = relayer
  const notificationId = patch.notificationId === undefined ? before : (patch.notificationId ?? undefined)
  return {
    ...rest,
    name: patch.name ?? relayer.name,
    paused: patch.paused ?? relayer.paused,
    ...(notificationId !== undefined && { notificationId }),
    policies:
      patch.policies === undefined ? relayer.policies : patchedPolicies(context, relayer.policies, patch.policies),
  }
}

function patchedPolicies(context: ManagementContext, policies: Policies, patch: PolicyMembers | null): Policies {
  if (patch === null) return policiesFrom(context, {})
  const given = policiesFrom(context, patch)
  // The patch is read by itself, so a member that it sets to null is at its default in `given`.
  return policiesBy(({ name }, key) => (Object.hasOwn(patch, name) ? given[key] : policies[key]))
}
