// Whether webhooks may reach the hosts of the file's notifications: events for an internal one that is not allowed end as dead letters.
import type { NotificationSettings } from '../../domain/settings.ts'
import { type AddressGuard, AddressRefused } from '../../ops/guard-addresses.ts'
import { memberOf } from '../../ops/member.ts'
import type { Finding } from './finding.ts'

const setting = 'WEBHOOK_ALLOWED_HOSTS'

export function checkWebhooks(
  notifications: readonly Pick<NotificationSettings, 'id' | 'url'>[],
  guard: AddressGuard,
): Promise<readonly Finding[]> {
  return Promise.all(
    notifications.map(async ({ id, url }) => {
      const fault = await faultOf(new URL(url.reveal()), guard)
      const place = `notification ${id}`
      return {
        level: fault === undefined ? 'ok' : 'warning',
        place,
        check: setting,
        text: fault ?? 'its host may be reached',
      }
    }),
  )
}

/** Why no event can be delivered to the URL. */
async function faultOf(url: URL, guard: AddressGuard): Promise<string | undefined> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const blocked = (why: string) =>
    `no event is delivered to ${host}: ${why}; if that is meant, add ${host} to ${setting}`
  const refusal = guard.refusalOf(url)
  if (refusal !== undefined) return blocked(refusal)
  const error = await new Promise<Error | null>((resolve) => guard.lookup(host, { all: true }, resolve))
  if (error instanceof AddressRefused) return blocked(error.message)
  return error ? `${host} can't be resolved here (${memberOf(error, 'code')})` : undefined
}
