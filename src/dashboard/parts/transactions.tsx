// The transactions of one relayer, newest first. Filters and place are in the URL.
import type { TraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { grouped, inGwei } from '../state/format.ts'
import { placeIn } from '../state/list-place.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { search } from '../state/route.ts'
import { ListPages } from './list-pages.tsx'
import { Age, Copy, Empty, Ether, Shown, TransactionLink } from './pieces.tsx'
import { StatusBadge } from './transaction-badge.tsx'
import { TransactionFilters } from './transaction-filters.tsx'

const perPage = 25

export function Transactions({
  id,
  network,
  traces,
}: {
  id: string
  network: string | undefined
  /** Of the nonces from the lowest open one on: what still races is among them. */
  traces: readonly TraceView[]
}) {
  const place = placeIn(search.value, perPage)
  const loaded = useLoad<readonly TransactionView[]>(`${pathOf`/v1/relayers/${id}/transactions`}${place.query}`)
  return (
    <section aria-labelledby="transactions">
      <div class="heading">
        <h2 id="transactions">Transactions</h2>
      </div>
      <TransactionFilters relayer={id} symbol={networkOf(network).symbol} />
      <Shown loaded={loaded} what="the transactions">
        {(transactions) => (
          <>
            {transactions.length === 0 ? (
              <Empty title={place.filters === '' ? 'No transaction yet' : 'No transaction matches'} />
            ) : (
              <List relayer={id} network={network} transactions={transactions} traces={traces} />
            )}
            {loaded.answer && <ListPages place={place} perPage={perPage} answer={loaded.answer} />}
          </>
        )}
      </Shown>
    </section>
  )
}

function List({
  relayer,
  network,
  transactions,
  traces,
}: {
  relayer: string
  network: string | undefined
  transactions: readonly TransactionView[]
  traces: readonly TraceView[]
}) {
  const { symbol } = networkOf(network)
  const traceOf = new Map(traces.map((trace) => [trace.transaction.id, trace]))
  return (
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
          </tr>
        </thead>
        <tbody>
          {transactions.map((each) => (
            <tr key={each.id}>
              <th scope="row">
                <TransactionLink relayer={relayer} id={each.id} />
              </th>
              <td>
                <StatusBadge transaction={each} trace={traceOf.get(each.id)} />
              </td>
              <td class={each.nonce === undefined ? 'number absent' : 'number'} data-label="Nonce">
                {each.nonce === undefined ? '—' : grouped(each.nonce)}
              </td>
              <td data-label="To">
                {each.to === undefined ? 'contract creation' : <Copy text={each.to} label="receiver" />}
              </td>
              <td class="number" data-label="Value">
                <Ether wei={each.value} symbol={symbol} />
              </td>
              <td class="number" data-label="Age">
                <Age at={each.created_at} />
              </td>
              <td class={each.status_reason === undefined ? 'absent' : ''} data-label="Reason">
                <Reason text={each.status_reason} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The start of it: the view of the transaction has all. */
function Reason({ text }: { text: string | undefined }) {
  if (text === undefined) return <>—</>
  const shown = inGwei(text)
  return (
    <span class="why clamped" title={shown}>
      {shown}
    </span>
  )
}
