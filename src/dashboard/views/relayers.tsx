// All relayers, the stuck ones first, with one sentence above them that names the problem.

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { OverviewView } from '../../client/relayer-types.ts'
import { shownAmount } from '../../domain/shown-amount.ts'
import type { Tone } from '../../words/verdict.ts'
import { CancelAllLink } from '../parts/cancel-all-link.tsx'
import { Balance, Gwei } from '../parts/exact.tsx'
import { FailingNotifications } from '../parts/failing-notifications.tsx'
import { NetworkPauses, PausedNetworks } from '../parts/network-pauses.tsx'
import { Age, Badge, Empty, Heading, Runbook, Shown } from '../parts/pieces.tsx'
import { ReadAt } from '../parts/price.tsx'
import { ProcessConditions } from '../parts/process-conditions.tsx'
import { mayStop } from '../state/bulk.ts'
import { capIn, lowCapOf } from '../state/caps.ts'
import { shownNow } from '../state/clock.ts'
import { conditionTitles, type Health, healthOf, healthOrder, heldOf } from '../state/conditions.ts'
import { begun, duration, exactTime, grouped, localTime, plural } from '../state/format.ts'
import { connection } from '../state/live.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { may } from '../state/session.ts'

export function Relayers() {
  const loaded = useLoad<readonly OverviewView[]>('/v1/overview?per_page=100')
  return (
    <Shown loaded={loaded} what="the relayers">
      {(relayers, total) => (
        <>
          <Summary relayers={relayers} isOld={connection.value === 'lost' || loaded.failure !== undefined} />
          <ProcessConditions />
          <FailingNotifications />
          {relayers.length === 0 ? (
            <Empty title="No relayer yet">
              The configuration file and <code>POST /api/v1/relayers</code> create relayers.
            </Empty>
          ) : (
            <>
              <Table relayers={relayers} />
              <NetworkPauses relayers={relayers} reload={loaded.reload} />
              {mayStop() && (
                <p class="back">
                  <a class="button quiet" href="/stop-everything">
                    Stop everything…
                  </a>
                </p>
              )}
            </>
          )}
          {total > relayers.length && (
            <p class="note">
              The first {relayers.length} of {grouped(total)} relayers are shown.
            </p>
          )}
        </>
      )}
    </Shown>
  )
}

function sorted(relayers: readonly OverviewView[]): readonly OverviewView[] {
  const rank = (view: OverviewView) => healthOrder.indexOf(healthOf(view, shownNow.value))
  return [...relayers].sort((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id))
}

function Summary({ relayers, isOld }: { relayers: readonly OverviewView[]; isOld: boolean }) {
  const stuck = relayers.filter((view) => healthOf(view, shownNow.value) === 'stuck')
  const low = relayers.filter((view) => lowCapOf(view) !== undefined).length
  const blocked = relayers.filter((view) => healthOf(view, shownNow.value) === 'blocked').length
  const open = relayers.reduce((sum, view) => sum + view.queued + view.in_flight, 0)
  if (isOld) {
    return (
      <Heading>
        <span class="headline">The present state is unknown</span>
        <small>{stuck.length === 0 ? 'no relayer was stuck' : `${plural(stuck.length, 'relayer')} stuck`}</small>
      </Heading>
    )
  }
  if (stuck.length > 0) {
    return (
      <Heading>
        <span class="headline bad">
          {stuck.length === 1 ? `${stuck[0]?.id} is stuck` : `${stuck.length} relayers are stuck`}
        </span>
        {relayers.length > stuck.length && (
          <small>
            the other {plural(relayers.length - stuck.length, 'relayer')}{' '}
            {relayers.length - stuck.length === 1 ? 'is' : 'are'} not stuck
          </small>
        )}
        <PausedNetworks relayers={relayers} />
      </Heading>
    )
  }
  return (
    <Heading>
      <span class="headline">{relayers.length === 0 ? 'Relayers' : 'No relayer is stuck'}</span>
      {relayers.length > 0 && (
        <small>
          {plural(relayers.length, 'relayer')},{' '}
          {open === 0 ? 'nothing under way' : `${plural(open, 'transaction')} under way`}
          {blocked > 0 && `; ${plural(blocked, 'relayer')} could not send now`}
          {low > 0 && `; ${plural(low, 'cap')} below the network’s price`}
        </small>
      )}
      <PausedNetworks relayers={relayers} />
    </Heading>
  )
}

function Table({ relayers }: { relayers: readonly OverviewView[] }) {
  const { steady, holding } = useSteadyOrder(sorted(relayers))
  const hasSpent = relayers.some(({ runway }) => runway)
  return (
    <div class="scroll" {...holding}>
      <table class="relayers cards">
        <caption class="unseen">Relayers, those that need somebody first</caption>
        <thead>
          <tr>
            <th scope="col">Relayer</th>
            <th scope="col" class="extra">
              Network
            </th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              In flight
            </th>
            <th scope="col" class="number">
              Queued
            </th>
            <th scope="col" class="number extra">
              Oldest waiting
            </th>
            <th scope="col" class="number">
              Balance
            </th>
            {hasSpent && (
              <th scope="col" class="number extra">
                Lasts for
              </th>
            )}
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {steady.map((view) => (
            <Row key={view.id} view={view} hasSpent={hasSpent} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const healthWords: Readonly<Record<Health, readonly [Tone, string]>> = {
  stuck: ['bad', 'Stuck'],
  blocked: ['warn', 'Blocked'],
  acknowledged: ['warn', 'Acknowledged'],
  unobserved: ['quiet', 'Not observed'],
  slow: ['warn', 'Slow'],
  paused: ['warn', 'Paused'],
  racing: ['info', 'Canceling'],
  busy: ['good', 'Working'],
  idle: ['quiet', 'Idle'],
}

function State({ view }: { view: OverviewView }) {
  const health = healthOf(view, shownNow.value)
  const [first, ...others] = heldOf(view)
  if (first && (health === 'stuck' || health === 'blocked' || health === 'acknowledged')) {
    return (
      <>
        <Badge tone={health === 'stuck' ? 'bad' : 'warn'}>{conditionTitles[first.condition]}</Badge>
        <Runbook wait={first} />
        <p class={health === 'stuck' ? 'why' : 'why elided extra'} title={first.text && begun(first.text)}>
          For <Age at={first.since} />
          {health === 'acknowledged' && ', acknowledged'}
          {first.text === undefined ? '.' : `. ${begun(first.text)}.`}
          {capIn(first.condition) && view.network_price && (
            <>
              {' '}
              The network’s price now: <Gwei wei={view.network_price.per_gas} />.
            </>
          )}
          {others.length > 0 && <> And {plural(others.length, 'other condition')}.</>}
        </p>
      </>
    )
  }
  const [tone, word] = healthWords[health]
  const lowCap = lowCapOf(view)
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {health === 'paused' && view.network_pause && (
        <p class="why">
          {view.paused ? 'Itself, and with' : 'With'} its network, for <Age at={view.network_pause.at} />.
        </p>
      )}
      {health === 'slow' && (
        <p class="why">A transaction is in no block for longer than usual. No condition holds it up.</p>
      )}
      {lowCap !== undefined && view.network_price && (
        <p class="why">
          <Badge tone="warn">Cap below the price</Badge> Its cap of <Gwei wei={lowCap} /> is below the network’s price
          of <Gwei wei={view.network_price.per_gas} /> (
          <ReadAt price={view.network_price} />
          ).
        </p>
      )}
    </>
  )
}

function Row({ view, hasSpent }: { view: OverviewView; hasSpent: boolean }) {
  const { symbol } = networkOf(view.network)
  const open = view.in_flight + view.queued
  return (
    <tr class={healthOf(view, shownNow.value)}>
      <th scope="row">
        <a href={pathOf`/relayers/${view.id}`}>{view.id}</a>
        {view.name !== view.id && <small>{view.name}</small>}
      </th>
      <td class="extra" data-label="Network">
        {view.network}
      </td>
      <td class="state">
        <div class="held">
          <State view={view} />
          <FundsWarnings view={view} />
        </div>
      </td>
      <td class="number" data-label="In flight">
        {grouped(view.in_flight)}
        {view.racing > 0 && <small>{grouped(view.racing)} canceling</small>}
      </td>
      <td class="number" data-label="Queued">
        {grouped(view.queued)}
      </td>
      <td class="number extra" data-label="Oldest waiting">
        {view.oldest ? <Age at={view.oldest.created_at} /> : '—'}
      </td>
      <td class="number" data-label="Balance">
        {view.balance ? (
          <span title={`read at ${localTime(view.balance.read_at)} (${exactTime(view.balance.read_at)})`}>
            <Balance wei={view.balance.wei} symbol={symbol} />
          </span>
        ) : (
          '—'
        )}
      </td>
      {hasSpent && (
        <td class="number extra" data-label="Lasts for">
          {view.runway ? <Lasting runway={view.runway} symbol={symbol} /> : '—'}
        </td>
      )}
      <td class="do">
        {may('cancel') && open > 0 && (
          <CancelAllLink
            id={view.id}
            isOpen
            isUrgent={healthOf(view, shownNow.value) === 'stuck' || healthOf(view, shownNow.value) === 'slow'}
          />
        )}
      </td>
    </tr>
  )
}

/** They hold nothing up, so they change no state. */
function FundsWarnings({ view: { warnings } }: { view: OverviewView }) {
  return (
    <>
      {warnings.map(({ warning, text, runbook }) => (
        <p key={warning} class="why" title={begun(text)}>
          <Badge tone="warn">{warning === 'runway_short' ? 'Top up soon' : 'Balance low'}</Badge>{' '}
          <Runbook wait={{ runbook }} />
        </p>
      ))}
    </>
  )
}

const yearSeconds = 365 * 86_400

function Lasting({ runway, symbol }: { runway: NonNullable<OverviewView['runway']>; symbol: string }) {
  const { figure, unit } = shownAmount(BigInt(runway.per_day))
  return (
    <span title={`At ${figure} ${unit === 'ether' ? symbol : unit} a day, fees and values`}>
      {runway.seconds > yearSeconds ? 'over a year' : duration(runway.seconds * 1_000)}
    </span>
  )
}

// Rows that move under the pointer or the focus are pressed by mistake: they keep their order until it leaves.

/** A finger does not hover, but browsers keep the last touched element as if it did. */
const hasPointer = matchMedia('(hover: hover)')

/** `best` in its order, or in the last shown one while `box` is held. A new row brings the best order. */
function useSteadyOrder<T extends { readonly id: string }>(best: readonly T[]) {
  const box = useRef<HTMLDivElement>(null)
  const order = useRef<readonly string[]>([])
  const left = useSignal(0)
  // Read, so that the rows are sorted as soon as the pointer or the focus has left.
  void left.value
  const isKnown = best.every(({ id }) => order.current.includes(id))
  const placeOf = ({ id }: T) => order.current.indexOf(id)
  const steady = isHeld(box.current) && isKnown ? [...best].sort((one, other) => placeOf(one) - placeOf(other)) : best
  order.current = steady.map(({ id }) => id)

  const leave = () => {
    left.value += 1
  }
  return { steady, holding: { ref: box, onPointerLeave: leave, onFocusOut: leave } }
}

/** From the page as it is: a focused element that is removed reports no end of its focus. */
function isHeld(box: HTMLElement | null): boolean {
  if (!box) return false
  return box.contains(document.activeElement) || (hasPointer.matches && box.matches(':hover'))
}
