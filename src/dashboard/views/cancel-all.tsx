// Cancel all: the preview to the wei, a confirmation by the relayer's id, and the verdicts as they arrive.
import { useSignal } from '@preact/signals'
import type { RelayerView } from '../../client/account-types.ts'
import type { TraceView } from '../../client/dashboard-types.ts'
import type { BulkCancellationView, CancellationPreviewView } from '../../client/transaction-types.ts'
import { Cost } from '../parts/cost.tsx'
import { NonceLane } from '../parts/lane.tsx'
import { Badge, Empty, Heading, Shown } from '../parts/pieces.tsx'
import { verdictWords } from '../parts/transaction-badge.tsx'
import { grouped, plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { Failure, pathOf, request } from '../state/request.ts'
import { may } from '../state/session.ts'

interface Done {
  readonly canceled: readonly string[]
  readonly failed: number
  readonly sentences: readonly string[]
}

export function CancelAll({ id }: { id: string }) {
  const done = useSignal<Done | undefined>(undefined)
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/">Relayers</a> <span aria-hidden="true">/</span> <a href={pathOf`/relayers/${id}`}>{id}</a>{' '}
        <span aria-hidden="true">/</span> Cancel all
      </nav>
      {done.value ? (
        <Verdicts id={id} done={done.value} />
      ) : (
        <Preview
          id={id}
          finish={(result) => {
            done.value = result
          }}
        />
      )}
    </>
  )
}

function Preview({ id, finish }: { id: string; finish: (done: Done) => void }) {
  const preview = useLoad<CancellationPreviewView>(pathOf`/v1/relayers/${id}/transactions/pending/cancellation-preview`)
  const network = useLoad<RelayerView>(pathOf`/v1/relayers/${id}`, false).answer?.data.network
  const { symbol } = networkOf(network)
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
            <div class="panel">
              <p class="lead">
                {plural(count, 'transaction')} will be canceled: {grouped(data.free)} at no cost, {grouped(data.no_ops)}{' '}
                by a no-op.
              </p>
              <Cost preview={data} symbol={symbol} />
              {may('cancel') ? (
                <Confirm id={id} count={count} finish={finish} />
              ) : (
                <p class="notice warn">This key may not cancel. A key with the scope “cancel” may.</p>
              )}
            </div>
          )
        }}
      </Shown>
    </>
  )
}

function Confirm({ id, count, finish }: { id: string; count: number; finish: (done: Done) => void }) {
  const typed = useSignal('')
  const isBusy = useSignal(false)
  const failure = useSignal<string | undefined>(undefined)

  const submit = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    failure.value = undefined
    try {
      const path = pathOf`/v1/relayers/${id}/transactions/pending`
      const { data, sentences } = await request<BulkCancellationView>(path, { method: 'DELETE' })
      finish({
        canceled: data.queued_for_cancellation_transaction_ids,
        failed: data.failed_to_queue_transaction_ids.length,
        sentences,
      })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      failure.value = `${error.message} (${error.code})`
      isBusy.value = false
    }
  }
  return (
    <form class="confirm" onSubmit={submit}>
      <label for="confirm">
        Type <strong>{id}</strong> to confirm
      </label>
      <div class="row">
        <input
          id="confirm"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
        <button type="submit" class="danger" disabled={typed.value !== id || isBusy.value}>
          {isBusy.value ? 'Canceling…' : `Cancel ${plural(count, 'transaction')}`}
        </button>
      </div>
      {failure.value && (
        <p class="notice bad" role="alert">
          {failure.value}
        </p>
      )}
    </form>
  )
}

/** The ones with a nonce are on the lane; all the others ended in the commit of the request. */
function Verdicts({ id, done }: { id: string; done: Done }) {
  const nonces = useLoad<readonly TraceView[]>(pathOf`/v1/relayers/${id}/nonces`)
  const wanted = new Set(done.canceled)
  const traces = nonces.answer?.data.filter(({ transaction }) => wanted.has(transaction.id))
  return (
    <>
      <Heading>{headline(done, traces)}</Heading>
      {done.sentences.map((sentence) => (
        <p key={sentence} class="reason">
          {sentence}
        </p>
      ))}
      {done.failed > 0 && <p class="notice bad">{plural(done.failed, 'transaction')} could not be canceled.</p>}
      <Shown loaded={nonces} what="the verdicts">
        {() =>
          traces && (
            <>
              <Tally free={done.canceled.length - traces.length} traces={traces} />
              {traces.length > 0 && <NonceLane relayer={id} traces={traces} />}
            </>
          )
        }
      </Shown>
      <p class="back">
        <a class="button" href={pathOf`/relayers/${id}`}>
          Back to {id}
        </a>
      </p>
    </>
  )
}

/** Says "canceled" only of what the chain can't undo. */
function headline({ canceled }: Done, traces: readonly TraceView[] | undefined): string {
  const all = plural(canceled.length, 'transaction')
  if (!traces || openIn(traces) > 0) return `Canceling ${all}`
  const missed = traces.filter(({ cancellation }) => cancellation?.state !== 'won' && cancellation?.state !== 'dropped')
  return missed.length === 0 ? `${all} canceled` : `${grouped(canceled.length - missed.length)} of ${all} canceled`
}

function openIn(traces: readonly TraceView[]): number {
  return traces.filter(({ cancellation }) => !cancellation?.final).length
}

const states = ['racing', 'won', 'dropped', 'lost', 'external'] as const

function Tally({ free, traces }: { free: number; traces: readonly TraceView[] }) {
  const counts = states.map((state) => {
    const beside = state === 'dropped' ? free : 0
    return [state, beside + traces.filter(({ cancellation }) => cancellation?.state === state).length] as const
  })
  const open = openIn(traces)
  return (
    <div class="tally" role="status">
      <p class="lead">{open === 0 ? 'Every verdict is final.' : `${plural(open, 'verdict')} not final yet.`}</p>
      <ul>
        {counts
          .filter(([, count]) => count > 0)
          .map(([state, count]) => {
            const [tone, word, sentence] = verdictWords[state]
            return (
              <li key={state}>
                <strong class="number">{grouped(count)}</strong> <Badge tone={tone}>{word}</Badge>{' '}
                <span>{sentence}</span>
              </li>
            )
          })}
      </ul>
    </div>
  )
}
