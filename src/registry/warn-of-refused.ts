// At start: warns of notifications whose URL is refused by its host alone, before the first delivery fails.
import type { NotificationSettings } from '../domain/settings.ts'
import type { AddressGuard } from '../ops/guard-addresses.ts'
import type { Logger } from '../ops/logger.ts'

export function warnOfRefused(
  notifications: readonly NotificationSettings[],
  guard: Pick<AddressGuard, 'refusalOf'>,
  logger: Logger,
): void {
  for (const { id, url } of notifications) {
    const refusal = guard.refusalOf(new URL(url.reveal()))
    if (refusal === undefined) continue
    logger.warn(
      { notification: id },
      `no event is delivered to this notification: ${refusal}; WEBHOOK_ALLOWED_HOSTS may allow it`,
    )
  }
}
