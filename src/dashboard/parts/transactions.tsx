// The transactions of one relayer, newest first. Filters and place are in the URL.

import { useSignal } from '@preact/signals'
import type { RelayerView } from '../../client/account-types.ts'
import type { ListedTraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { type ListPlace, placeIn, queryAt } from '../state/filters.ts'
import { begun, grouped, plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf, type Reply } from '../state/request.ts'
import { goWithin, search } from '../state/route.ts'
import { may } from '../state/session.ts'
import { isOpen } from '../state/standing.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { CancelSelected } from './cancel-selected.tsx'
import { Ether } from './exact.tsx'
import { Age, assign, CheckBox, Copy, Elided, Empty, Shown, StateBadge, TransactionLink, toggled } from './pieces.tsx'
import { type Column, Table } from './table.tsx'
import { TransactionFilters } from './transaction-filters.tsx'

const perPage = 25

export function Transactions({ id, relayer }: { id: string; relayer: RelayerView | undefined }) {
  const canceling = useSignal<TransactionView | undefined>(undefined)
  const selection = useSelection()
  const place = placeIn(search.value, perPage)
  const loaded = useLoad<readonly ListedTraceView[]>(`${pathOf`/v1/relayers/${id}/traces`}${place.query}`)
  return (
    <section aria-labelledby="transactions">
      <div class="heading">
        <h2 id="transactions">Transactions</h2>
      </div>
      <TransactionFilters symbol={networkOf(relayer?.network).symbol} />
      <Shown loaded={loaded} what="the transactions">
        {(traces) => (
          <>
            {traces.length === 0 ? (
              <Empty title={place.filters === '' ? 'No transaction yet' : 'No transaction matches'} />
            ) : (
              <List
                selection={selection}
                relayer={id}
                network={relayer?.network}
                traces={traces}
                cancel={(transaction) => assign(canceling, transaction)}
              />
            )}
            {loaded.answer && <ListPages place={place} perPage={perPage} answer={loaded.answer} />}
          </>
        )}
      </Shown>
      {selection.isCanceling.value && (
        <CancelSelected relayer={id} ids={selection.ids.value} close={() => assign(selection.isCanceling, false)} />
      )}
      {canceling.value && (
        <CancelDialog
          transaction={canceling.value}
          relayer={relayer}
          close={() => {
            canceling.value = undefined
            loaded.reload()
          }}
        />
      )}
    </section>
  )
}

/** Rows of the list that become one cancellation. Another page or filter keeps them. */
function useSelection() {
  const ids = useSignal<readonly string[]>([])
  const isCanceling = useSignal(false)
  const choose = (id: string, isChosen: boolean) => assign(ids, toggled(ids.value, id, isChosen))
  return { ids, isCanceling, choose }
}

type Selection = ReturnType<typeof useSelection>

function SelectionBar({ selection: { ids, isCanceling } }: { selection: Selection }) {
  if (ids.value.length === 0) return null
  return (
    <p class="selection" role="status">
      {plural(ids.value.length, 'transaction')} selected{' '}
      <button type="button" class="danger" onClick={() => assign(isCanceling, true)}>
        Cancel the selected…
      </button>{' '}
      <button type="button" onClick={() => assign(ids, [])}>
        Select none
      </button>
    </p>
  )
}

function List({
  selection,
  relayer,
  network,
  traces,
  cancel,
}: {
  selection: Selection
  relayer: string
  network: string | undefined
  traces: readonly ListedTraceView[]
  cancel: (transaction: TransactionView) => void
}) {
  const { symbol } = networkOf(network)
  return (
    <>
      <SelectionBar selection={selection} />
      <Table
        caption="Transactions, newest first"
        rows={traces}
        keyOf={({ transaction }) => transaction.id}
        pick={may('cancel') ? (trace) => <Pick selection={selection} trace={trace} /> : undefined}
        columns={[
          { title: 'Transaction', of: ({ transaction: { id } }) => <TransactionLink relayer={relayer} id={id} /> },
          { title: 'Status', isClear: true, of: (trace) => <StateBadge trace={trace} /> },
          {
            title: 'Nonce',
            kind: 'number',
            of: ({ transaction: { nonce } }) => (nonce === undefined ? undefined : grouped(nonce)),
          },
          {
            title: 'To',
            of: ({ transaction: { to } }) =>
              to === undefined ? 'contract creation' : <Copy text={to} label="receiver" />,
          },
          {
            title: 'Value',
            kind: 'number',
            of: ({ transaction }) => <Ether wei={transaction.value} symbol={symbol} />,
          },
          { title: 'Age', kind: 'number', of: ({ transaction }) => <Age at={transaction.created_at} /> },
          {
            title: 'Reason',
            kind: 'fill',
            isExtra: true,
            of: ({ transaction: { status_reason: text } }) =>
              text === undefined ? undefined : <Elided>{begun(text)}</Elided>,
          },
          ...(may('cancel') ? [actions(cancel)] : []),
        ]}
      />
    </>
  )
}

function Pick({ selection: { ids, choose }, trace }: { selection: Selection; trace: ListedTraceView }) {
  const { id } = trace.transaction
  return (
    isOpen(trace) && (
      <CheckBox isOn={ids.value.includes(id)} set={(isChosen) => choose(id, isChosen)}>
        <span class="unseen">Select transaction {id}</span>
      </CheckBox>
    )
  )
}

function actions(cancel: (transaction: TransactionView) => void): Column<ListedTraceView> {
  return {
    title: 'Actions',
    kind: 'do',
    of: (trace) =>
      isOpen(trace) && (
        <button type="button" class="quiet" onClick={() => cancel(trace.transaction)}>
          Cancel…<span class="unseen"> transaction {trace.transaction.id}</span>
        </button>
      ),
  }
}

// From page to page of a list whose place is in the URL. Beyond the pages that were counted, a list goes on from a position.

/** Rows that page numbers reach. */
const pagedRowsMax = 100_000

function ListPages({
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
