// The transactions of one relayer, newest first. Filters and place are in the URL.
import { useSignal } from '@preact/signals'
import type { RelayerView } from '../../client/account-types.ts'
import type { ListedTraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { begun, grouped, plural } from '../state/format.ts'
import { placeIn } from '../state/list-place.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { search } from '../state/route.ts'
import { may } from '../state/session.ts'
import { isOpen } from '../state/verdict.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { CancelSelected } from './cancel-selected.tsx'
import { Ether } from './exact.tsx'
import { ListPages } from './list-pages.tsx'
import { Age, Copy, Empty, Shown, TransactionLink } from './pieces.tsx'
import { StateBadge } from './transaction-badge.tsx'
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
      <TransactionFilters relayer={id} symbol={networkOf(relayer?.network).symbol} />
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
                cancel={(transaction) => {
                  canceling.value = transaction
                }}
              />
            )}
            {loaded.answer && <ListPages place={place} perPage={perPage} answer={loaded.answer} />}
          </>
        )}
      </Shown>
      {selection.isCanceling.value && (
        <CancelSelected
          relayer={id}
          ids={selection.ids.value}
          close={() => {
            selection.isCanceling.value = false
          }}
        />
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
  const choose = (id: string, isChosen: boolean) => {
    const others = ids.value.filter((each) => each !== id)
    ids.value = isChosen ? [...others, id] : others
  }
  return { ids, isCanceling, choose }
}

type Selection = ReturnType<typeof useSelection>

function SelectionBar({ selection: { ids, isCanceling } }: { selection: Selection }) {
  if (ids.value.length === 0) return null
  return (
    <p class="row ends" role="status">
      {plural(ids.value.length, 'transaction')} selected{' '}
      <button
        type="button"
        class="danger"
        onClick={() => {
          isCanceling.value = true
        }}
      >
        Cancel the selected…
      </button>{' '}
      <button
        type="button"
        onClick={() => {
          ids.value = []
        }}
      >
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
      <div class="scroll">
        <table class="list cards">
          <caption class="unseen">Transactions, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Transaction</th>
              <th scope="col">Status</th>
              <th scope="col" class="number">
                Nonce
              </th>
              <th scope="col">To</th>
              <th scope="col" class="number">
                Value
              </th>
              <th scope="col" class="number">
                Age
              </th>
              <th scope="col">Reason</th>
              {may('cancel') && (
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {traces.map((trace) => (
              <Row
                key={trace.transaction.id}
                selection={selection}
                relayer={relayer}
                trace={trace}
                symbol={symbol}
                cancel={cancel}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Row({
  selection: { ids, choose },
  relayer,
  trace,
  symbol,
  cancel,
}: {
  selection: Selection
  relayer: string
  trace: ListedTraceView
  symbol: string
  cancel: (transaction: TransactionView) => void
}) {
  const { id, nonce, to, value, created_at: createdAt, status_reason: reason } = trace.transaction
  return (
    <tr>
      <th scope="row">
        <TransactionLink relayer={relayer} id={id} />
      </th>
      <td>
        <StateBadge trace={trace} />
      </td>
      <td class={nonce === undefined ? 'number absent' : 'number'} data-label="Nonce">
        {nonce === undefined ? '—' : grouped(nonce)}
      </td>
      <td data-label="To">{to === undefined ? 'contract creation' : <Copy text={to} label="receiver" />}</td>
      <td class="number" data-label="Value">
        <Ether wei={value} symbol={symbol} />
      </td>
      <td class="number" data-label="Age">
        <Age at={createdAt} />
      </td>
      <td class={reason === undefined ? 'absent' : ''} data-label="Reason">
        <Reason text={reason} />
      </td>
      {may('cancel') && (
        <td class="do">
          {isOpen(trace) && (
            <>
              <label class="pick">
                <input
                  type="checkbox"
                  checked={ids.value.includes(id)}
                  onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
                />{' '}
                Select<span class="unseen"> transaction {id}</span>
              </label>{' '}
              <button type="button" class="quiet" onClick={() => cancel(trace.transaction)}>
                Cancel…<span class="unseen"> transaction {id}</span>
              </button>
            </>
          )}
        </td>
      )}
    </tr>
  )
}

/** The start of it: the view of the transaction has all. */
function Reason({ text }: { text: string | undefined }) {
  if (text === undefined) return <>—</>
  const shown = begun(text)
  return (
    <span class="why clamped" title={shown}>
      {shown}
    </span>
  )
}
