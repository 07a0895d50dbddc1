// Bulk cancellations, newest first: what each was for, and how far it is.
import { useSignal } from '@preact/signals'
import type { BulkHeadView } from '../../client/bulk-types.ts'
import { filterWords } from '../../words/bulk.ts'
import { BulkBadge, BulkCost } from '../parts/bulk-state.tsx'
import { Age, Elided, Empty, Heading, Pages, RelayerIds, Shown } from '../parts/pieces.tsx'
import { Table } from '../parts/table.tsx'
import { bulksPath, canceledBy, mayStop, useSymbols } from '../state/bulk.ts'
import { grouped, plural, shortened } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { pathOf } from '../state/request.ts'
import { may } from '../state/session.ts'

const perPage = 25

export function BulkCancellations() {
  const page = useSignal(1)
  const loaded = useLoad<readonly BulkHeadView[]>(`${bulksPath}?per_page=${perPage}&page=${page.value}`)
  return (
    <>
      <Heading
        aside={
          <>
            {may('cancel') && (
              <a class="button" href="/bulk-cancellations/new">
                Cancel by a filter…
              </a>
            )}
            {mayStop() && (
              <a class="button danger" href="/stop-everything">
                Stop everything…
              </a>
            )}
          </>
        }
      >
        Bulk cancellations
      </Heading>
      <Shown loaded={loaded} what="the bulk cancellations">
        {(bulks, total) => (
          <>
            {bulks.length === 0 ? (
              <Empty title="No bulk cancellation yet">
                One cancels what a filter matches, at one relayer or many, and keeps the reason and the verdicts.
              </Empty>
            ) : (
              <Bulks bulks={bulks} />
            )}
            {total > 0 && <p class="note">{plural(total, 'bulk cancellation')}, newest first.</p>}
            <Pages page={page} perPage={perPage} total={total} />
          </>
        )}
      </Shown>
    </>
  )
}

function Bulks({ bulks }: { bulks: readonly BulkHeadView[] }) {
  const symbolOf = useSymbols()
  return (
    <Table
      caption="Bulk cancellations, newest first"
      rows={bulks}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Cancellation',
          of: ({ id, name }) => (
            <a class="named" href={pathOf`/bulk-cancellations/${id}`} title={id}>
              {name ?? <code>{shortened(id)}</code>}
            </a>
          ),
        },
        { title: 'State', isClear: true, of: (bulk) => <BulkBadge bulk={bulk} /> },
        { title: 'Filter', kind: 'fill', of: ({ filter }) => <Elided>{filterWords(filter)}</Elided> },
        { title: 'Relayers', of: (bulk) => <RelayerIds ids={bulk.every_relayer ? undefined : bulk.relayers} /> },
        { title: 'Canceled', kind: 'number', of: ({ counts }) => grouped(canceledBy(counts)) },
        {
          title: 'Cost',
          kind: 'number',
          of: ({ counts, relayers }) => <BulkCost counts={counts} symbol={symbolOf(relayers)} />,
        },
        { title: 'Age', kind: 'number', of: ({ requested_at: at }) => <Age at={at} /> },
      ]}
    />
  )
}
