// What hinders the process that serves this page, whatever its relayers do.
import type { ReadinessView } from '../../client/account-types.ts'
import { useLoad } from '../state/load.ts'
import { Age, Badge, Runbook } from './pieces.tsx'

const titles: Readonly<Record<ReadinessView['conditions'][number]['condition'], string>> = {
  database_out: 'The database takes no writes',
  database_replaced: 'The database file was replaced: sends are refused',
  log_lost: 'Lines of the log can’t be written',
  notify_queue_full: 'The queue of notifications of PostgreSQL fills',
  pending_bytes_high: 'Pending transactions have most of the bytes that they may have',
  disk_low: 'The disk of the database is nearly full: sends are refused',
}

export function ProcessConditions() {
  const { answer, failure } = useLoad<ReadinessView>('/v1/ready')
  return (
    <>
      {failure && (
        <p role="status">
          <Badge tone="bad">not ready</Badge> {failure.message}
        </p>
      )}
      {answer?.data.conditions.map((held) => (
        <p key={held.condition} role="status">
          <Badge tone="bad">{titles[held.condition]}</Badge> for <Age at={held.since} />
          {held.reason && `: ${held.reason}`}. <Runbook wait={held} />
        </p>
      ))}
    </>
  )
}
