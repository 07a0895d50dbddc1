// Bulk cancellations, newest first: what each was for, and how far it is.
import { useSignal } from '@preact/signals'
import type { BulkHeadView } from '../../client/bulk-types.ts'
import { BulkBadge, BulkCost } from '../parts/bulk-state.tsx'
import { Age, Empty, Heading, Pages, Shown } from '../parts/pieces.tsx'
import { bulksPath, canceledBy, filterWords, mayStop, useSymbols } from '../state/bulk.ts'
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
              <Table bulks={bulks} />
            )}
            {total > 0 && <p class="note">{plural(total, 'bulk cancellation')}, newest first.</p>}
            <Pages page={page} perPage={perPage} total={total} />
          </>
        )}
      </Shown>
    </>
  )
}

function Table({ bulks }: { bulks: readonly BulkHeadView[] }) {
  const symbolOf = useSymbols()
  return (
    <div class="scroll">
      <table class="list cards">
        <caption class="unseen">Bulk cancellations, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Cancellation</th>
            <th scope="col">State</th>
            <th scope="col">Filter</th>
            <th scope="col">Relayers</th>
            <th scope="col" class="number">
              Canceled
            </th>
            <th scope="col" class="number">
              Cost
            </th>
            <th scope="col" class="number">
              Age
            </th>
          </tr>
        </thead>
        <tbody>
          {bulks.map((bulk) => (
            <tr key={bulk.id}>
              <th scope="row">
                <a href={pathOf`/bulk-cancellations/${bulk.id}`} title={bulk.id}>
                  {bulk.name ?? <code>{shortened(bulk.id)}</code>}
                </a>
              </th>
              <td>
                <BulkBadge bulk={bulk} />
              </td>
              <td data-label="Filter">{filterWords(bulk)}</td>
              <td data-label="Relayers">{bulk.every_relayer ? 'all' : bulk.relayers.join(', ')}</td>
              <td class="number" data-label="Canceled">
                {grouped(canceledBy(bulk.counts))}
              </td>
              <td class="number" data-label="Cost">
                <BulkCost counts={bulk.counts} symbol={symbolOf(bulk.relayers)} />
              </td>
              <td class="number" data-label="Age">
                <Age at={bulk.requested_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
