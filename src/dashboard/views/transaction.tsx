// One transaction: the condition that holds it up, its way as a timeline, its attempts, its payload, its cost, and its cancellation.
import { useSignal } from '@preact/signals'
import type { RelayerStatusView, RelayerView } from '../../client/account-types.ts'
import type { TraceView } from '../../client/dashboard-types.ts'
import type { HoldView, TransactionView as ShownTransaction } from '../../client/transaction-types.ts'
import { verdictWords } from '../../words/verdict.ts'
import { Attempts } from '../parts/attempts.tsx'
import { CancelDialog } from '../parts/cancel-dialog.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Ether } from '../parts/exact.tsx'
import { Payload } from '../parts/payload.tsx'
import {
  Alert,
  assign,
  Badge,
  Copy,
  Explore,
  Fact,
  Heading,
  Runbook,
  Shown,
  TransactionBadge,
} from '../parts/pieces.tsx'
import { CapHelp } from '../parts/price.tsx'
import { ReplaceDialog, SpeedUpDialog } from '../parts/replace-dialog.tsx'
import { Timeline } from '../parts/timeline.tsx'
import { capIn } from '../state/caps.ts'
import { conditionTitles } from '../state/conditions.ts'
import { begun, grouped, shortened } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf, request } from '../state/request.ts'
import { may } from '../state/session.ts'
import { isOpen } from '../state/standing.ts'

export function TransactionView({ relayer, id }: { relayer: string; id: string }) {
  const loaded = useLoad<TraceView>(pathOf`/v1/relayers/${relayer}/transactions/${id}/trace`)
  const view = useLoad<RelayerView>(pathOf`/v1/relayers/${relayer}`, false).answer?.data
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/">Relayers</a> <span aria-hidden="true">/</span> <a href={pathOf`/relayers/${relayer}`}>{relayer}</a>{' '}
        <span aria-hidden="true">/</span> {shortened(id)}
      </nav>
      <Shown loaded={loaded} what="the transaction">
        {(trace) => <Trace relayer={relayer} view={view} trace={trace} reload={loaded.reload} />}
      </Shown>
    </>
  )
}

interface Parts {
  readonly relayer: string
  readonly view: RelayerView | undefined
  readonly trace: TraceView
}

function Trace({ relayer, view, trace, reload }: Parts & { reload: () => void }) {
  const network = view?.network
  const doing = useSignal<'cancel' | 'release' | 'replace' | 'speed up' | undefined>(undefined)
  const { transaction } = trace
  const canChange = trace.origin !== 'gap' && isOpen(trace)
  const done = () => {
    doing.value = undefined
    reload()
  }
  const button = (what: NonNullable<typeof doing.value>, words: string) => (
    <button type="button" class={what === 'cancel' ? 'danger' : ''} onClick={() => assign(doing, what)}>
      {words}
    </button>
  )
  return (
    <>
      <Heading
        aside={
          canChange && (
            <>
              {may('release') && trace.wait?.condition === 'on_hold' && button('release', 'Release…')}
              {may('send') && trace.origin === 'client' && button('speed up', 'Speed up…')}
              {may('send') && trace.origin === 'client' && button('replace', 'Replace…')}
              {may('cancel') && button('cancel', 'Cancel…')}
            </>
          )
        }
      >
        Transaction <code>{shortened(transaction.id)}</code> <TransactionBadge trace={trace} />
      </Heading>
      <Standing relayer={relayer} trace={trace} />
      <Facts relayer={relayer} view={view} trace={trace} />
      <div class="columns">
        <section aria-labelledby="timeline">
          <h2 id="timeline">What happened</h2>
          <Timeline trace={trace} />
        </section>
        <section aria-labelledby="payload">
          <h2 id="payload">Payload</h2>
          <Payload transaction={transaction} network={network} />
        </section>
      </div>
      <section aria-labelledby="attempts">
        <h2 id="attempts">Attempts</h2>
        <Attempts trace={trace} network={network} />
      </section>
      {doing.value === 'cancel' && <CancelDialog transaction={transaction} relayer={view} close={done} />}
      {doing.value === 'release' && <ReleaseDialog transaction={transaction} close={done} />}
      {doing.value === 'replace' && <ReplaceDialog transaction={transaction} close={done} />}
      {doing.value === 'speed up' && <SpeedUpDialog transaction={transaction} close={done} />}
    </>
  )
}

/** The one sentence that matters now. */
function Standing({ relayer, trace: { wait, cancellation, transaction } }: Pick<Parts, 'relayer' | 'trace'>) {
  const cap = capIn(wait?.condition)
  const status = useLoad<RelayerStatusView>(cap && pathOf`/v1/relayers/${relayer}/status`)
  const help = cap && <CapHelp relayer={relayer} name={cap} price={status.answer?.data.network_price} />
  if (cancellation) {
    const [tone, , sentence] = verdictWords(cancellation)
    return (
      <div class={`notice ${tone} stacked`} role="status">
        <p>
          <strong>{cancellation.final ? 'Final.' : 'Not final yet.'}</strong> {begun(sentence)}.{' '}
          {cancellation.safe_to_retry && 'Its payload may be sent again.'} {wait && begun(wait.text)}{' '}
          {wait && <Runbook wait={wait} />}
        </p>
        {help}
      </div>
    )
  }
  if (wait) {
    return (
      <div class={`notice ${['paused', 'on_hold'].includes(wait.condition) ? 'warn' : 'bad'} stacked`}>
        <p>
          <strong>{conditionTitles[wait.condition]}.</strong> {begun(wait.text)} <Runbook wait={wait} />
        </p>
        {help}
      </div>
    )
  }
  return transaction.status_reason === undefined ? null : <p class="reason">{begun(transaction.status_reason)}</p>
}

const owners = { payload: 'payload', no_op: 'no-op', foreign: 'foreign transaction' } as const

function Facts({ relayer, view, trace }: Parts) {
  const { transaction, inclusion, cancellation } = trace
  const { symbol, explorer } = networkOf(view?.network)
  const whose = inclusion ? owners[inclusion.spender] : undefined
  const isPlain = !cancellation && inclusion?.spender !== 'foreign'
  const of = (title: string) => (isPlain || !whose ? title : `${title} of the ${whose}`)
  return (
    <dl class="facts">
      <Fact name="Id">
        <Copy text={transaction.id} label="id" />
      </Fact>
      <Fact name="Relayer">
        <a href={pathOf`/relayers/${relayer}`}>{relayer}</a>
      </Fact>
      <Fact name="Nonce">{transaction.nonce === undefined ? 'none yet' : grouped(transaction.nonce)}</Fact>
      {transaction.hash !== undefined && (
        <Fact name={isPlain ? 'Hash' : 'Hash of the payload'}>
          <Copy text={transaction.hash} label="hash" />
          <Explore url={explorer} kind="tx" id={transaction.hash} />
        </Fact>
      )}
      {inclusion && inclusion.spender !== 'payload' && (
        <Fact name={of('Hash')}>
          <Copy text={inclusion.hash} label={`hash of the ${whose}`} />
          <Explore url={explorer} kind="tx" id={inclusion.hash} />
        </Fact>
      )}
      {inclusion && (
        <Fact name={of('Block')}>
          {grouped(inclusion.block_number)}
          <Explore url={explorer} kind="block" id={String(inclusion.block_number)} />
        </Fact>
      )}
      {inclusion?.fees !== undefined && (
        <Fact name={of('Cost')}>
          <Ether wei={inclusion.fees} symbol={symbol} />
        </Fact>
      )}
      {cancellation?.cost === '0' && cancellation.final && <Fact name="Cost of the cancellation">nothing</Fact>}
      {cancellation?.cost_max !== undefined && (
        <Fact name="Cost at most, its share of a limit">
          <Ether wei={cancellation.cost_max} symbol={symbol} />
        </Fact>
      )}
      <Labels relayer={relayer} labels={trace.labels} />
      {inclusion?.succeeded === false && (
        <Fact name="Execution">
          <Badge tone="bad">reverted</Badge> {inclusion.revert_reason}
        </Fact>
      )}
    </dl>
  )
}

// The client's names for a transaction, among its facts. A tag leads to the list of all transactions that have it.
function Labels({ relayer, labels = {} }: { relayer: string; labels: TraceView['labels'] }) {
  const { external_id: externalId, tags, note } = labels
  return (
    <>
      {externalId !== undefined && (
        <Fact name="External id">
          <Copy text={externalId} label="external id" />
        </Fact>
      )}
      {tags && (
        <Fact name="Tags">
          {tags.map((tag) => (
            <a key={tag} class="tag" href={`${pathOf`/relayers/${relayer}`}?${new URLSearchParams({ tag })}`}>
              {tag}
            </a>
          ))}
        </Fact>
      )}
      {note !== undefined && <Fact name="Note">{note}</Fact>}
    </>
  )
}

// The release of a transaction on hold, with the digest of the payload that the dialog shows.
function ReleaseDialog({ transaction, close }: { transaction: ShownTransaction; close: () => void }) {
  const one = pathOf`/v1/relayers/${transaction.relayer_id}/transactions/${transaction.id}`
  const { answer, failure } = useLoad<HoldView>(`${one}/hold`, false)
  const hold = answer?.data
  const path = `${one}/release`
  return (
    <Dialog
      title="Release this transaction?"
      confirm="Release it"
      isHarmless
      isReady={hold !== undefined}
      call={{ method: 'POST', path }}
      send={() => request(path, { method: 'POST', body: { payload_digest: hold?.payload_digest } })}
      close={close}
    >
      <p>
        It goes into the queue at its old place, and is sent when its turn comes. Only a new payload can put it back on
        hold.
      </p>
      {hold && <pre>{JSON.stringify(hold.payload, undefined, 2)}</pre>}
      {failure && (
        <Alert>
          {failure.code === 'HOLD_NOT_FOUND' ? 'It is no longer on hold: nothing is left to release.' : failure.message}
        </Alert>
      )}
    </Dialog>
  )
}
