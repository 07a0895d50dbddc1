// The transactions of one relayer, newest first, by status and page.
import { useSignal } from '@preact/signals'
import type { TraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { grouped, inGwei, plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { Age, Copy, Empty, Ether, Pages, Shown, TransactionLink } from './pieces.tsx'
import { StatusBadge } from './transaction-badge.tsx'

const filters = ['', 'pending', 'sent', 'submitted', 'mined', 'confirmed', 'failed', 'canceled', 'expired'] as const
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
  const page = useSignal(1)
  const status = useSignal<string>('')
  const filter = status.value === '' ? '' : `&status=${status.value}`
  const path = `${pathOf`/v1/relayers/${id}/transactions`}?per_page=${perPage}&page=${page.value}${filter}`
  const loaded = useLoad<readonly TransactionView[]>(path)
  return (
    <section aria-labelledby="transactions">
      <div class="heading">
        <h2 id="transactions">Transactions</h2>
        <label class="filter">
          Status{' '}
          <select
            value={status.value}
            onChange={(event) => {
              status.value = event.currentTarget.value
              page.value = 1
            }}
          >
            {filters.map((each) => (
              <option key={each} value={each}>
                {each === '' ? 'all' : each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown loaded={loaded} what="the transactions">
        {(transactions, total) => (
          <>
            {transactions.length === 0 ? (
              <Empty title={filter === '' ? 'No transaction yet' : `No transaction is ${status.value}`} />
            ) : (
              <List relayer={id} network={network} transactions={transactions} traces={traces} />
            )}
            {total > 0 && <p class="note">{plural(total, 'transaction')}, newest first.</p>}
            <Pages page={page} perPage={perPage} total={total} />
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
