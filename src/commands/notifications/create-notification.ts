// POST of a notification: where events are delivered. The URL may hold a token, so it is sealed like the signing key.

import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { NotificationSettings } from '../../domain/settings.ts'
import { freshId } from '../../ops/random.ts'

import { faultOf } from '../../registry/entities.ts'
import { notificationToEntity } from '../../registry/stored-entities.ts'
import { type ManagementContext, refuseInside, requireKey, takeEffect } from '../management.ts'

/**
 * Generates an absent id. Throws ALREADY_EXISTS, STORAGE_KEY_MISSING, and INVALID_REQUEST for a URL that leads inside.
 */
export async function createNotification(
  context: ManagementContext,
  request: Omit<NotificationSettings, 'id'> & { readonly id?: string },
  requester: Requester,
): Promise<NotificationSettings> {
  const { store, clock, random, registry, vault } = context
  requireKey(context, 'url')
  refuseInside(context, request.url)
  const notification = { ...request, id: request.id ?? freshId(random, clock.now()) }
  const { id } = notification
  const row = notificationToEntity(vault, notification)
  await store.commit(async (session) => {
    await session.raiseRevision()
    if (
      faultOf(registry.file, 'notification', id) !== undefined ||
      registry.file.notifications.some((each) => each.id === id) ||
      (await session.entity('notification', id))
    ) {
      throw new RescindError('ALREADY_EXISTS', `id: there is a notification "${id}"; give this one another id, or none`)
    }
    await session.saveEntity(row)
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: id }))
  })
  await takeEffect(context)
  return notification
}
