// One relayer: the condition that holds it up, its nonce lane, and its transactions.
import { useSignal } from '@preact/signals'
import type { RelayerView as Relayer, RelayerStatusView } from '../../client/account-types.ts'
import type { TraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { NonceLane } from '../parts/lane.tsx'
import { Age, Badge, Copy, Empty, Ether, Explore, Heading, Pages, Shown } from '../parts/pieces.tsx'
import { statusTones } from '../parts/transaction-badge.tsx'
import { conditionTitles } from '../state/conditions.ts'
import { grouped, inGwei, plural, shortened } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { may } from '../state/session.ts'

export function RelayerView({ id }: { id: string }) {
  const relayer = useLoad<Relayer>(pathOf`/v1/relayers/${id}`)
  const status = useLoad<RelayerStatusView>(pathOf`/v1/relayers/${id}/status`)
  const nonces = useLoad<readonly TraceView[]>(pathOf`/v1/relayers/${id}/nonces`)
  const isMissing = relayer.failure?.code === 'RELAYER_NOT_FOUND'
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/">Relayers</a> <span aria-hidden="true">/</span> {id}
      </nav>
      <Heading
        aside={
          may('cancel') &&
          !isMissing &&
          status.answer?.data.pending_transactions_count !== 0 && (
            <a class="button danger" href={pathOf`/relayers/${id}/cancel-all`}>
              Cancel all…
            </a>
          )
        }
      >
        {id}
      </Heading>
      <Shown loaded={relayer} what={`the relayer ${id}`}>
        {(view) => <Facts relayer={view} status={status.answer?.data} why={status.failure?.message} />}
      </Shown>
      {!isMissing && (
        <>
          <section aria-labelledby="lane">
            <h2 id="lane">Nonces</h2>
            <Shown loaded={nonces} what="the nonces">
              {(traces) => <Nonces relayer={id} traces={traces} />}
            </Shown>
          </section>
          <Transactions id={id} />
        </>
      )}
    </>
  )
}

function Nonces({ relayer, traces }: { relayer: string; traces: readonly TraceView[] }) {
  if (traces.length === 0) return <Empty title="No nonce used yet">A transaction gets its nonce when it is sent.</Empty>
  return (
    <>
      <HeldUp relayer={relayer} traces={traces} />
      <NonceLane relayer={relayer} traces={traces} />
    </>
  )
}

function Facts({
  relayer,
  status,
  why,
}: {
  relayer: Relayer
  status: RelayerStatusView | undefined
  why: string | undefined
}) {
  const { symbol, explorer } = networkOf(relayer.network)
  return (
    <dl class="facts">
      <div>
        <dt>Network</dt>
        <dd>{relayer.network}</dd>
      </div>
      <div>
        <dt>Address</dt>
        <dd>
          <Copy text={relayer.address} label="address" />
          <Explore url={explorer} kind="address" id={relayer.address} />
        </dd>
      </div>
      <div>
        <dt>Balance</dt>
        <dd>{status ? <Ether wei={status.balance} symbol={symbol} exact /> : (why ?? '…')}</dd>
      </div>
      <div>
        <dt>Next nonce on chain</dt>
        <dd>{status ? grouped(status.nonce) : '…'}</dd>
      </div>
      <div>
        <dt>Waiting or in flight</dt>
        <dd>{status ? grouped(status.pending_transactions_count) : '…'}</dd>
      </div>
      {relayer.paused && (
        <div>
          <dt>Sending</dt>
          <dd>
            <Badge tone="warn">Paused</Badge>
          </dd>
        </div>
      )}
    </dl>
  )
}

/** The first that waits, in the service's own words. */
function HeldUp({ relayer, traces }: { relayer: string; traces: readonly TraceView[] }) {
  const first = traces.find(({ wait }) => wait !== undefined)
  if (!first?.wait) return null
  const { id, nonce } = first.transaction
  return (
    <div class={`notice ${first.wait.condition === 'paused' ? 'warn' : 'bad'}`}>
      <p>
        <strong>{conditionTitles[first.wait.condition]}.</strong> {inGwei(first.wait.text)}
      </p>
      <a class="button" href={pathOf`/relayers/${relayer}/transactions/${id}`}>
        Open nonce {grouped(nonce ?? 0)}
      </a>
    </div>
  )
}

const filters = ['', 'pending', 'sent', 'submitted', 'mined', 'confirmed', 'failed', 'canceled', 'expired'] as const
const perPage = 25

function Transactions({ id }: { id: string }) {
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
              <List relayer={id} transactions={transactions} />
            )}
            {total > 0 && <p class="note">{plural(total, 'transaction')}, newest first.</p>}
            <Pages
              page={page.value}
              perPage={perPage}
              total={total}
              turn={(to) => {
                page.value = to
              }}
            />
          </>
        )}
      </Shown>
    </section>
  )
}

function List({ relayer, transactions }: { relayer: string; transactions: readonly TransactionView[] }) {
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
              Age
            </th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {transactions.map((each) => (
            <tr key={each.id}>
              <th scope="row">
                <a href={pathOf`/relayers/${relayer}/transactions/${each.id}`} title={each.id}>
                  <code>{shortened(each.id)}</code>
                </a>
              </th>
              <td>
                <Badge tone={statusTones[each.status]}>{each.status}</Badge>
              </td>
              <td class="number" data-label="Nonce">
                {each.nonce === undefined ? '—' : grouped(each.nonce)}
              </td>
              <td data-label="To">
                {each.to === undefined ? 'contract creation' : <Copy text={each.to} label="receiver" />}
              </td>
              <td class="number" data-label="Age">
                <Age at={each.created_at} />
              </td>
              <td data-label="Reason">
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
