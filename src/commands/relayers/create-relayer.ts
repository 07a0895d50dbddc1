// POST of a relayer: a new nonce sequence, advanced once the request is answered.

import type { Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { NetworkName, RelayerId } from '../../domain/ids.ts'
import { whyPublished } from '../../domain/published-accounts.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { EndpointSettings } from '../../domain/settings.ts'
import { freshId } from '../../ops/random.ts'

import { faultOf } from '../../registry/entities.ts'
import { relayerToEntity, sealEndpoints } from '../../registry/stored-entities.ts'
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
import { recordChange } from './record-change.ts'

interface RelayerRequest {
  /** The id, generated if absent. */
  readonly id?: string
  readonly name: string
  readonly network: string
  readonly signerId: string
  readonly notificationId?: string
  readonly paused: boolean
  /** The policies in the form of the configuration file. */
  readonly policies: PolicyMembers
  /** Endpoints that replace the network's. */
  readonly endpoints?: readonly EndpointSettings[]
}

/** Throws INVALID_REQUEST, ALREADY_EXISTS, ACCOUNT_IN_USE, STORAGE_KEY_MISSING, SIGNER_UNAVAILABLE. */
export async function createRelayer(
  context: ManagementContext,
  request: RelayerRequest,
  requester: Requester,
): Promise<Relayer> {
  const { store, clock, random, registry, vault } = context
  await registry.refresh()
  const relayer = relayerFrom(context, request, request.id ?? freshId(random, clock.now()))
  if (request.endpoints) refuseEndpoints(context, 'custom_rpc_urls', request.endpoints)
  if (request.endpoints) requireKey(context, 'custom_rpc_urls')
  requireKeyFor(context, relayer.policies)
  refuseSkipping(context, relayer)
  await refuseKept(context, relayer)
  const at = { kind: 'relayer', id: relayer.id } as const
  const sealed = request.endpoints && sealEndpoints(vault, at, request.endpoints)
  const created = await store.commit(async (session) => {
    // This comes first, since it waits for other changes to the registry.
    await session.saveEntity(relayerToEntity(relayer.id, { origin: 'api' }, sealed))
    await refuseMissing(context, session, relayer)
    await refuseTaken(session, relayer)
    await session.saveRelayer(relayer)
    await recordChange(session, relayer.id, requester, context.clock.now())
    // With the pause of its network.
    return session.relayer(relayer.id)
  })
  await takeEffect(context, [relayer.id])
  return created ?? relayer
}

function relayerFrom(context: ManagementContext, request: RelayerRequest, id: string): Relayer {
  const { registry } = context
  const { name, paused, notificationId, signerId } = request
  const networks = registry.networks()
  const network = networks.find((each) => each.name === request.network)
  const signer = registry.signer(signerId)
  refuseFaulty(registry, 'network', request.network)
  refuseFaulty(registry, 'signer_id', signerId)
  if (!network)
    throw unknown(
      'network',
      request.network,
      networks.map((each) => each.name),
    )
  if (!signer && registry.signers().some((each) => each.id === signerId && each.type === 'vault_transit')) {
    const fault = `signer "${signerId}" is of type "vault_transit", whose keys are not of Ethereum's curve`
    throw new RescindError('NOT_SUPPORTED', `signer_id: ${fault}; name a signer of another type`)
  }
  if (!signer && registry.file.signers.some((each) => each.id === signerId)) {
    const fault = `signer "${signerId}" has not opened since the service started, and nothing shows its address`
    throw new RescindError('SIGNER_UNAVAILABLE', `${fault}; try again once its key service answers`)
  }
  if (!signer)
    throw unknown(
      'signer_id',
      signerId,
      registry.signers().map((each) => each.id),
    )
  if (registry.file.awaited.some((each) => each.id === id)) throw idTaken(id)
  const published = whyPublished(signer.address, network.chainId)
  if (published !== undefined) throw new RescindError('INVALID_REQUEST', `signer_id: "${signerId}" ${published}`)
  return {
    // Checked above: the id is a relayer's from here on, and the network is configured.
    id: id as RelayerId,
    name,
    network: network.name as NetworkName,
    chainId: network.chainId,
    address: signer.address,
    signerId,
    ...(notificationId !== undefined && { notificationId }),
    paused,
    policies: policiesFrom(context, request.policies),
  }
}

function idTaken(id: string): RescindError {
  return new RescindError('ALREADY_EXISTS', `id: there is a relayer "${id}"; give this one another id, or none`)
}

async function refuseTaken(session: Session, { id, chainId, address }: Relayer): Promise<void> {
  if (await session.relayer(id)) {
    throw idTaken(id)
  }
  const rival = await session.relayerOf(chainId, address)
  if (!rival) return
  throw new RescindError(
    'ACCOUNT_IN_USE',
    `signer_id: ${address} on chain ${chainId} is relayer "${rival.id}", and two relayers would compete for its nonces; give this one another signer`,
  )
}

/**
 * Checks within the commit, since a signer or a notification may have been deleted meanwhile. Throws INVALID_REQUEST.
 */
export async function refuseMissing(
  { registry }: ManagementContext,
  session: Session,
  relayer: Relayer,
): Promise<void> {
  const { signerId, notificationId } = relayer
  const { signers, notifications } = registry.file
  if (notificationId !== undefined) refuseFaulty(registry, 'notification_id', notificationId)
  if (!signers.some(({ id }) => id === signerId) && !(await session.entity('signer', signerId))) {
    throw unknown(
      'signer_id',
      signerId,
      registry.signers().map(({ id }) => id),
    )
  }
  if (notificationId === undefined || notifications.some(({ id }) => id === notificationId)) return
  if (await session.entity('notification', notificationId)) return
  throw unknown(
    'notification_id',
    notificationId,
    registry.notifications().map(({ id }) => id),
  )
}

const kinds = { network: 'network', signer_id: 'signer', notification_id: 'notification' } as const

/** The file names the entity, and the service started without it. */
function refuseFaulty({ file }: ManagementContext['registry'], field: keyof typeof kinds, name: string): void {
  const fault = faultOf(file, kinds[field], name)
  if (fault === undefined) return
  const text = `${field}: "${name}" was left out at start, as the configuration file has a fault in it: ${fault}`
  throw new RescindError('INVALID_REQUEST', `${text}; correct the file, and restart`)
}

const namedMax = 20

function unknown(field: string, id: string, ids: readonly string[]): RescindError {
  const named = ids.slice(0, namedMax).join(', ')
  const choice = ids.length === 0 ? 'there are none' : `there are: ${named}${ids.length > namedMax ? ', …' : ''}`
  return new RescindError('INVALID_REQUEST', `${field}: "${id.slice(0, 40)}" does not exist; ${choice}`)
}
