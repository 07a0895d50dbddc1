// Cancel all: the transactions, the preview, and a confirmation by the relayer's id.
import type { RelayerView } from '../../client/account-types.ts'
import type { TraceView } from '../../client/dashboard-types.ts'
import type { BulkCancellationView, CancellationPreviewView, TransactionView } from '../../client/transaction-types.ts'
import { Cost } from '../parts/cost.tsx'
import { Empty, Heading, Shown } from '../parts/pieces.tsx'
import { Targets, targetsMax } from '../parts/targets.tsx'
import { TypedConfirm } from '../parts/typed-confirm.tsx'
import { grouped, plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf, request } from '../state/request.ts'
import { go } from '../state/route.ts'
import { may } from '../state/session.ts'

export function CancelAll({ id }: { id: string }) {
  const relayer = useLoad<RelayerView>(pathOf`/v1/relayers/${id}`, false).answer?.data
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/">Relayers</a> <span aria-hidden="true">/</span> <a href={pathOf`/relayers/${id}`}>{id}</a>{' '}
        <span aria-hidden="true">/</span> Cancel all
      </nav>
      <Preview id={id} relayer={relayer} />
    </>
  )
}

function Preview({ id, relayer }: { id: string; relayer: RelayerView | undefined }) {
  const preview = useLoad<CancellationPreviewView>(pathOf`/v1/relayers/${id}/transactions/pending/cancellation-preview`)
  const nonces = useLoad<readonly TraceView[]>(pathOf`/v1/relayers/${id}/nonces`)
  const queue = useLoad<readonly TransactionView[]>(
    `${pathOf`/v1/relayers/${id}/transactions`}?status=pending&per_page=${targetsMax}`,
  )
  const { symbol } = networkOf(relayer?.network)
  const targets = targetsOf(nonces.answer?.data ?? [], queue.answer?.data ?? [])
  return (
    <>
      <Heading>Cancel all open transactions of {id}</Heading>
      <Shown loaded={preview} what="the preview">
        {(data) => {
          const count = data.free + data.no_ops
          return count === 0 && data.too_late === 0 ? (
            <Empty title="Nothing is open">
              {data.racing > 0
                ? `${plural(data.racing, 'transaction')} canceled before ${data.racing === 1 ? 'is' : 'are'} not decided yet: see the nonces of the relayer.`
                : 'There is nothing to cancel.'}
            </Empty>
          ) : (
            <div class="columns apart">
              <div class="panel">
                <p class="lead">
                  {plural(count, 'transaction')} will be canceled: {grouped(data.free)} at no cost,{' '}
                  {grouped(data.no_ops)} by a no-op.
                </p>
                <Cost preview={data} relayer={relayer} symbol={symbol} />
                {may('cancel') ? (
                  <Confirm id={id} count={count} />
                ) : (
                  <p class="notice warn">This key may not cancel. A key with the scope “cancel” may.</p>
                )}
              </div>
              {targets.length > 0 && (
                <section class="beside" aria-labelledby="targets">
                  <h2 id="targets">Transactions to cancel</h2>
                  <p class="note">By nonce, then the queue, newest first.</p>
                  <Targets
                    caption="Transactions to cancel, by nonce and then newest first"
                    unbound="queued"
                    transactions={targets}
                    total={count + data.too_late}
                    symbol={symbol}
                  />
                </section>
              )}
            </div>
          )
        }}
      </Shown>
    </>
  )
}

/** As the cancellation covers them: of clients, open, and not canceled before. */
function targetsOf(traces: readonly TraceView[], pending: readonly TransactionView[]): readonly TransactionView[] {
  const bound = traces
    .filter(
      ({ origin, inclusion, final, cancellation }) => origin === 'client' && !inclusion && !final && !cancellation,
    )
    .map(({ transaction }) => transaction)
  const ids = new Set(bound.map(({ id }) => id))
  return [...bound, ...pending.filter(({ id }) => !ids.has(id))]
}

/** The verdicts are on the page of the bulk cancellation. Without one, everything has ended meanwhile. */
function Confirm({ id, count }: { id: string; count: number }) {
  const path = pathOf`/v1/relayers/${id}/transactions/pending`
  const run = async () => {
    const { bulk } = await request<BulkCancellationView>(path, { method: 'DELETE' })
    go(bulk === undefined ? pathOf`/relayers/${id}` : pathOf`/bulk-cancellations/${bulk}`)
  }
  return (
    <TypedConfirm
      word={id}
      isTyped={(text) => text === id}
      act={`Cancel ${plural(count, 'transaction')}`}
      method="DELETE"
      path={path}
      run={run}
    />
  )
}
