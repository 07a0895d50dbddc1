// A notification on the wire. Of its URL the host is shown, of its key that there is one.
import { type Static, Type } from 'typebox'
import type { NotificationSettings } from '../../registry/entities.ts'
import { presentUrl } from '../response/present-endpoint.ts'

export const notificationSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('webhook'),
    url: Type.String({ description: 'with user, path and query masked', examples: ['https://hooks.example/***'] }),
    has_signing_key: Type.Boolean(),
  },
  { additionalProperties: false },
)

export function presentNotification({ id, url, signingKey }: NotificationSettings): Static<typeof notificationSchema> {
  return { id, type: 'webhook', url: presentUrl(url), has_signing_key: signingKey !== undefined }
}
