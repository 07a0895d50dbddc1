// From page to page of a list whose place is in the URL. Beyond the pages that were counted, a list goes on from a position.
import { plural } from '../state/format.ts'
import { type ListPlace, queryAt } from '../state/list-place.ts'
import type { Reply } from '../state/request.ts'
import { goWithin } from '../state/route.ts'

/** Rows that page numbers reach. */
const pagedRowsMax = 100_000

export function ListPages({
  place,
  perPage,
  answer: { total, next, isAtLeast },
}: {
  place: ListPlace
  perPage: number
  answer: Reply<unknown>
}) {
  const { page, before, filters } = place
  const last = Math.max(1, Math.ceil(Math.min(total, pagedRowsMax) / perPage))
  const hasPages = before === undefined && last > 1
  const older = hasPages && page < last ? { page: page + 1 } : next === undefined ? undefined : { before: next }
  const isLookingOn = isAtLeast === true && next !== undefined && older !== undefined && 'before' in older
  const counted = plural(total, 'transaction')
  return (
    <>
      <p class="note" role="status">
        {isAtLeast ? `At least ${counted} among those looked at` : counted}
        {filters === '' ? '' : isAtLeast ? '' : ' with these filters'}, newest first.
        {isLookingOn && ' Older transactions were not looked at yet.'}
      </p>
      {(hasPages || before !== undefined || older !== undefined) && (
        <nav class="pages" aria-label="Pages">
          {before === undefined ? (
            <button type="button" disabled={page <= 1} onClick={() => goWithin(queryAt(place, { page: page - 1 }))}>
              ← Newer
            </button>
          ) : (
            <button type="button" onClick={() => goWithin(queryAt(place, { page: 1 }))}>
              ← Newest
            </button>
          )}
          {hasPages && (
            <span>
              Page {page.toLocaleString('en')} of {last.toLocaleString('en')}
            </span>
          )}
          <button type="button" disabled={older === undefined} onClick={() => older && goWithin(queryAt(place, older))}>
            {isLookingOn ? 'Look further back →' : 'Older →'}
          </button>
        </nav>
      )}
    </>
  )
}
