// Cancel all: the transactions, the preview, and a confirmation by the relayer's id. Then come the verdicts.
import { useSignal } from '@preact/signals'
import type { RelayerView } from '../../client/account-types.ts'
import type { TraceView } from '../../client/dashboard-types.ts'
import type { BulkCancellationView, CancellationPreviewView, TransactionView } from '../../client/transaction-types.ts'
import { type Done, Verdicts } from '../parts/cancel-all-verdicts.tsx'
import { Cost } from '../parts/cost.tsx'
import { Empty, Heading, Shown } from '../parts/pieces.tsx'
import { Targets, targetsMax } from '../parts/targets.tsx'
import { TypedConfirm } from '../parts/typed-confirm.tsx'
import { grouped, plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf, request } from '../state/request.ts'
import { may } from '../state/session.ts'

export function CancelAll({ id }: { id: string }) {
  const done = useSignal<Done | undefined>(undefined)
  const relayer = useLoad<RelayerView>(pathOf`/v1/relayers/${id}`, false).answer?.data
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/">Relayers</a> <span aria-hidden="true">/</span> <a href={pathOf`/relayers/${id}`}>{id}</a>{' '}
        <span aria-hidden="true">/</span> Cancel all
      </nav>
      {done.value ? (
        <Verdicts id={id} network={relayer?.network} done={done.value} />
      ) : (
        <Preview
          id={id}
          relayer={relayer}
          finish={(result) => {
            done.value = result
          }}
        />
      )}
    </>
  )
}

interface Previewing {
  readonly id: string
  readonly relayer: RelayerView | undefined
  readonly finish: (done: Done) => void
}

function Preview({ id, relayer, finish }: Previewing) {
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
                  <Confirm id={id} count={count} from={nonces.answer?.data[0]?.transaction.nonce} finish={finish} />
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

function Confirm({
  id,
  count,
  from,
  finish,
}: {
  id: string
  count: number
  /** A nonce below all that are canceled. */
  from: number | undefined
  finish: (done: Done) => void
}) {
  const path = pathOf`/v1/relayers/${id}/transactions/pending`
  const run = async () => {
    const { data, sentences } = await request<BulkCancellationView>(path, { method: 'DELETE' })
    finish({
      canceled: data.queued_for_cancellation_transaction_ids,
      failed: data.failed_to_queue_transaction_ids.length,
      sentences,
      from,
    })
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
