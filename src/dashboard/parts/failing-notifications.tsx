// The notifications whose last request failed: their events wait, and no relayer shows that.
import type { NotificationView } from '../../client/record-types.ts'
import { useLoad } from '../state/load.ts'
import { Age, Badge, Runbook } from './pieces.tsx'

const runbook = '/docs/alerts.md#rescindwebhookfailing'

export function FailingNotifications() {
  const { answer } = useLoad<readonly NotificationView[]>('/v1/notifications?per_page=100')
  return (
    <>
      {answer?.data.map(
        ({ id, url, failing }) =>
          failing && (
            <p key={id} role="status">
              <Badge tone="warn">webhooks fail</Badge> {id} ({url}) for <Age at={failing.since} />: {failing.error}.{' '}
              <Runbook wait={{ runbook }} />
            </p>
          ),
      )}
    </>
  )
}
