// Dead letters: events that a webhook did not accept within a day, and their redelivery.
import { useSignal } from '@preact/signals'
import type { DeadLetterView } from '../../client/event-types.ts'
import type { NotificationView } from '../../client/record-types.ts'
import { Time } from '../parts/exact.tsx'
import { Copy, Elided, Empty, Heading, Pages, Shown, TransactionLink } from '../parts/pieces.tsx'
import { Table } from '../parts/table.tsx'
import { failureWords } from '../state/act.ts'
import { grouped, plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { Failure, pathOf, request } from '../state/request.ts'

const perPage = 25

export function DeadLetters() {
  const notifications = useLoad<readonly NotificationView[]>('/v1/notifications?per_page=100')
  return (
    <>
      <Heading>Dead letters</Heading>
      <p class="reason">Events that a webhook did not accept within a day.</p>
      <Shown loaded={notifications} what="the notifications">
        {(all) =>
          all.length === 0 ? (
            <Empty title="No webhook is configured">Dead letters exist only where a notification does.</Empty>
          ) : (
            all.map((each) => <Letters key={each.id} notification={each.id} />)
          )
        }
      </Shown>
    </>
  )
}

function Letters({ notification }: { notification: string }) {
  const page = useSignal(1)
  const note = useSignal<string | undefined>(undefined)
  const path = pathOf`/v1/notifications/${notification}/dead-letters`
  const loaded = useLoad<readonly DeadLetterView[]>(`${path}?per_page=${perPage}&page=${page.value}`)

  const redeliver = async (at: string) => {
    try {
      const { data } = await request<{ redelivered: number }>(`${path}${at}/redeliver`, { method: 'POST' })
      note.value = `${plural(data.redelivered, 'event')} will be tried again, for a day.`
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      note.value = failureWords(error)
    }
    loaded.reload()
  }
  return (
    <section aria-label={notification}>
      <Shown loaded={loaded} what={`the dead letters of ${notification}`}>
        {(letters, total) => (
          <>
            <div class="heading">
              <h2>
                {notification} <small>{total === 0 ? 'none' : grouped(total)}</small>
              </h2>
              {total > 0 && (
                <button type="button" onClick={() => void redeliver('')}>
                  Redeliver all {grouped(total)}
                </button>
              )}
            </div>
            <p role="status" class="note">
              {note.value}
            </p>
            {letters.length === 0 ? (
              <Empty title="No dead letters" />
            ) : (
              <List letters={letters} redeliver={(id) => void redeliver(`/${encodeURIComponent(id)}`)} />
            )}
            <Pages page={page} perPage={perPage} total={total} />
          </>
        )}
      </Shown>
    </section>
  )
}

function List({ letters, redeliver }: { letters: readonly DeadLetterView[]; redeliver: (id: string) => void }) {
  return (
    <Table
      caption="Dead letters, oldest first"
      rows={letters}
      keyOf={({ event }) => event.id}
      columns={[
        { title: 'Event', of: ({ event }) => <Copy text={event.id} label="event" /> },
        { title: 'About', of: ({ event }) => <Subject payload={event.payload} /> },
        { title: 'Status', of: ({ event }) => stateOf(event) },
        { title: 'Tries', kind: 'number', of: ({ tries }) => grouped(tries) },
        { title: 'Given up', of: ({ gave_up_at: at }) => <Time at={at} /> },
        { title: 'Last error', kind: 'fill', of: ({ last_error: error }) => <Elided>{error}</Elided> },
        {
          title: 'Actions',
          kind: 'do',
          of: ({ event }) => (
            <button type="button" onClick={() => redeliver(event.id)}>
              Redeliver
            </button>
          ),
        },
      ]}
    />
  )
}

/** Of a relayer or a network: what holds it up. */
function stateOf({ payload }: DeadLetterView['event']): string {
  if ('status' in payload) return payload.status
  if (payload.payload_type === 'notification') return 'test'
  if (payload.payload_type === 'bulk_cancellation') return 'final'
  return payload.conditions.map(({ condition }) => condition).join(', ') || 'over'
}

function Subject({ payload }: { payload: DeadLetterView['event']['payload'] }) {
  if (payload.payload_type === 'transaction') return <TransactionLink relayer={payload.relayer_id} id={payload.id} />
  if (payload.payload_type === 'relayer') return <a href={pathOf`/relayers/${payload.id}`}>{payload.id}</a>
  if (payload.payload_type === 'network') return <a href={pathOf`/nodes`}>{payload.id}</a>
  if (payload.payload_type === 'notification') return <>{payload.id}</>
  return <a href={pathOf`/bulk-cancellations/${payload.id}`}>bulk cancellation</a>
}
