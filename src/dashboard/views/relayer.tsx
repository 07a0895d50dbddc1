// One relayer: the condition that holds it up, its nonce lane, and its transactions.
import type { RelayerView as Relayer, RelayerStatusView } from '../../client/account-types.ts'
import type { TraceView } from '../../client/dashboard-types.ts'
import { CancelAllLink } from '../parts/cancel-all-link.tsx'
import { NonceLane } from '../parts/lane.tsx'
import { Badge, Copy, Empty, Ether, Explore, Heading, Runbook, Shown } from '../parts/pieces.tsx'
import { CapBelow, CapHelp } from '../parts/price.tsx'
import { Transactions } from '../parts/transactions.tsx'
import { capIn, capOf, isBelow, type ShownPrice } from '../state/caps.ts'
import { conditionTitles } from '../state/conditions.ts'
import { grouped, inGwei } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { may } from '../state/session.ts'

export function RelayerView({ id }: { id: string }) {
  const relayer = useLoad<Relayer>(pathOf`/v1/relayers/${id}`)
  const status = useLoad<RelayerStatusView>(pathOf`/v1/relayers/${id}/status`)
  const nonces = useLoad<readonly TraceView[]>(pathOf`/v1/relayers/${id}/nonces`)
  const waiting = nonces.answer?.data.find(({ wait }) => wait !== undefined)
  const price = status.answer?.data.network_price
  const cap = capOf(relayer.answer?.data, 'gas_price_cap')
  const isMissing = relayer.failure?.code === 'RELAYER_NOT_FOUND'
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/">Relayers</a> <span aria-hidden="true">/</span> {id}
      </nav>
      <Heading
        aside={
          may('cancel') &&
          !isMissing && (
            <CancelAllLink
              id={id}
              isOpen={status.answer?.data.pending_transactions_count !== 0}
              isUrgent={waiting !== undefined && waiting.wait?.condition !== 'paused'}
            />
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
          {waiting ? (
            <HeldUp relayer={id} first={waiting} price={price} />
          ) : (
            cap !== undefined && price && isBelow(cap, price) && <CapBelow relayer={id} cap={cap} price={price} />
          )}
          <section aria-labelledby="lane">
            <h2 id="lane">Nonces</h2>
            <Shown loaded={nonces} what="the nonces">
              {(traces) => <Nonces relayer={id} traces={traces} />}
            </Shown>
          </section>
          <Transactions id={id} network={relayer.answer?.data.network} traces={nonces.answer?.data ?? []} />
        </>
      )}
    </>
  )
}

function Nonces({ relayer, traces }: { relayer: string; traces: readonly TraceView[] }) {
  if (traces.length === 0) return <Empty title="No nonce used yet">A transaction gets its nonce when it is sent.</Empty>
  return <NonceLane relayer={relayer} traces={traces} />
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
function HeldUp({ relayer, first, price }: { relayer: string; first: TraceView; price: ShownPrice | undefined }) {
  if (!first.wait) return null
  const cap = capIn(first.wait.condition)
  const { id, nonce } = first.transaction
  return (
    <div class={`notice ${first.wait.condition === 'paused' ? 'warn' : 'bad'}`}>
      <div class="words">
        <p>
          <strong>{conditionTitles[first.wait.condition]}.</strong> {inGwei(first.wait.text)}{' '}
          <Runbook wait={first.wait} />
        </p>
        {cap && <CapHelp relayer={relayer} name={cap} price={price} />}
      </div>
      <a class="button" href={pathOf`/relayers/${relayer}/transactions/${id}`}>
        Open nonce {grouped(nonce ?? 0)}
      </a>
    </div>
  )
}
