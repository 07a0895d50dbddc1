// One relayer: the conditions that hold it up, its nonce lane, and its transactions.
import type { RelayerView as Relayer, RelayerStatusView } from '../../client/account-types.ts'
import type { TraceView } from '../../client/dashboard-types.ts'
import type { OverviewView } from '../../client/relayer-types.ts'
import { CancelAllLink } from '../parts/cancel-all-link.tsx'
import { Conditions } from '../parts/conditions.tsx'
import { Balance } from '../parts/exact.tsx'
import { NonceLane } from '../parts/lane.tsx'
import { PauseButton } from '../parts/pause-button.tsx'
import { Age, Badge, Copy, Empty, Explore, Fact, Heading, Shown } from '../parts/pieces.tsx'
import { CapBelow } from '../parts/price.tsx'
import { Transactions } from '../parts/transactions.tsx'
import { lowCapOf } from '../state/caps.ts'
import { shownNow } from '../state/clock.ts'
import { healthOf } from '../state/conditions.ts'
import { grouped } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { may, mayPause } from '../state/session.ts'

export function RelayerView({ id }: { id: string }) {
  const relayer = useLoad<Relayer>(pathOf`/v1/relayers/${id}`)
  const overview = useLoad<OverviewView>(pathOf`/v1/relayers/${id}/overview`)
  const status = useLoad<RelayerStatusView>(pathOf`/v1/relayers/${id}/status`)
  const nonces = useLoad<readonly TraceView[]>(pathOf`/v1/relayers/${id}/nonces`)
  const view = overview.answer?.data
  const health = view && healthOf(view, shownNow.value)
  const isMissing = relayer.failure?.code === 'RELAYER_NOT_FOUND'
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/">Relayers</a> <span aria-hidden="true">/</span> {id}
      </nav>
      <Heading
        aside={
          !isMissing && (
            <>
              {view && mayPause(view) && <PauseButton relayer={view} reload={overview.reload} />}
              {may('cancel') && (
                <CancelAllLink
                  id={id}
                  isOpen={view === undefined || view.queued + view.in_flight > 0}
                  isUrgent={health === 'stuck' || health === 'slow'}
                />
              )}
            </>
          )
        }
      >
        {id}
      </Heading>
      <Shown loaded={relayer} what={`the relayer ${id}`}>
        {(data) => <Facts relayer={data} view={view} status={status.answer?.data} why={status.failure?.message} />}
      </Shown>
      {!isMissing && (
        <>
          <Shown loaded={overview} what="its conditions">
            {(data) => (
              <>
                <Conditions relayer={data} reload={overview.reload} />
                <CapWarning relayer={data} />
              </>
            )}
          </Shown>
          <section aria-labelledby="lane">
            <h2 id="lane">Nonces</h2>
            <Shown loaded={nonces} what="the nonces">
              {(traces) => <Nonces relayer={id} traces={traces} />}
            </Shown>
          </section>
          <Transactions id={id} relayer={relayer.answer?.data} />
        </>
      )}
    </>
  )
}

function CapWarning({ relayer }: { relayer: OverviewView }) {
  const { id, network_price: price } = relayer
  const cap = lowCapOf(relayer)
  return cap !== undefined && price ? <CapBelow relayer={id} cap={cap} price={price} /> : null
}

function Nonces({ relayer, traces }: { relayer: string; traces: readonly TraceView[] }) {
  if (traces.length === 0) return <Empty title="No nonce used yet">A transaction gets its nonce when it is sent.</Empty>
  return <NonceLane relayer={relayer} traces={traces} />
}

function Facts({
  relayer,
  view,
  status,
  why,
}: {
  relayer: Relayer
  view: OverviewView | undefined
  status: RelayerStatusView | undefined
  /** Why the node's count is not there. */
  why: string | undefined
}) {
  const { symbol, explorer } = networkOf(relayer.network)
  return (
    <dl class="facts">
      <Fact name="Network">{relayer.network}</Fact>
      <Fact name="Address">
        <Copy text={relayer.address} label="address" />
        <Explore url={explorer} kind="address" id={relayer.address} />
      </Fact>
      <Fact name="Balance">
        {view?.balance ? (
          <>
            <Balance wei={view.balance.wei} symbol={symbol} />{' '}
            <small>
              read <Age at={view.balance.read_at} /> ago
            </small>
          </>
        ) : (
          '…'
        )}
      </Fact>
      <Fact name="Next nonce on chain">{status ? grouped(status.nonce) : (why ?? '…')}</Fact>
      <Fact name="Waiting or in flight">{view ? grouped(view.queued + view.in_flight) : '…'}</Fact>
      {view?.changed && (
        <Fact name="Changed last" title={`by the API key ${view.changed.by}`}>
          {view.changed.members.join(', ') || view.changed.operation}, <Age at={view.changed.at} /> ago
        </Fact>
      )}
      <Pauses
        paused={(view ?? relayer).paused}
        network={view ? view.network_pause !== undefined : relayer.network_paused}
      />
    </dl>
  )
}

function Pauses({ paused, network }: { paused: boolean; network: boolean }) {
  if (!paused && !network) return null
  return (
    <Fact name="Sending">
      {paused && <Badge tone="warn">Paused</Badge>} {network && <Badge tone="warn">Network paused</Badge>}
    </Fact>
  )
}
