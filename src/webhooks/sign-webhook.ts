// The signatures on a webhook: HMAC-SHA256 under the notification's key, over its time and its bytes.
import { createHmac } from 'node:crypto'
import type { TimestampMs } from '../domain/units.ts'

/**
 * `webhook-signature` follows the Standard Webhooks specification: over `id.timestamp.body`, so that an old request
 * can't be sent again as a new one. `x-signature` is the one that receivers of OpenZeppelin Relayer verify: over the
 * body alone. The key is the configured text, in UTF-8.
 */
export function signWebhook(
  key: string | undefined,
  { id, body, at }: { id: string; body: string; at: TimestampMs },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const unsigned = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (key === undefined) return unsigned
  return {
    ...unsigned,
    'webhook-signature': `v1,${hmac(key, `${id}.${timestamp}.${body}`)}`,
    'x-signature': hmac(key, body),
  }
}

function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}
