// Presents a notification: the host of its URL, and whether it has a key.

import { type Static, Type } from 'typebox'
import type { NotificationSettings } from '../../domain/settings.ts'

import { such } from '../response/forms.ts'
import { presentUrl } from '../response/present-endpoint.ts'

export const notificationSchema = Type.Object(
  {
    id: such('alerts'),
    type: Type.Literal('webhook'),
    url: Type.String({ description: 'with user, path and query masked', examples: ['https://hooks.example/***'] }),
    has_signing_key: Type.Boolean(),
  },
  { title: 'Notification', additionalProperties: false },
)

export function presentNotification({ id, url, signingKey }: NotificationSettings): Static<typeof notificationSchema> {
  return { id, type: 'webhook', url: presentUrl(url), has_signing_key: signingKey !== undefined }
}
