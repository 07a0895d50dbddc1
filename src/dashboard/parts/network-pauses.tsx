// The networks of the relayers: which are paused as a whole, and the way to pause one or to lift that.
import { useSignal } from '@preact/signals'
import type { RelayerView } from '../../client/account-types.ts'
import type { OverviewView } from '../../client/relayer-types.ts'
import { plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { pathOf } from '../state/request.ts'
import { may } from '../state/session.ts'
import { Dialog } from './dialog.tsx'
import { Age, assign, Badge, TextField } from './pieces.tsx'

type Pause = OverviewView['network_pause']

interface ShownNetwork {
  readonly name: string
  readonly relayers: number
  readonly pause: Pause
}

export function NetworkPauses({ relayers, reload }: { relayers: readonly OverviewView[]; reload: () => void }) {
  const changing = useSignal<ShownNetwork | undefined>(undefined)
  return (
    <section aria-labelledby="networks">
      <h2 id="networks">Networks</h2>
      <ul class="networks">
        {networksOf(relayers).map((network) => (
          <li key={network.name}>
            <p>
              <strong>{network.name}</strong> {plural(network.relayers, 'relayer')}
              {network.pause && <Paused pause={network.pause} />}
            </p>
            {may('admin') && (
              <button
                type="button"
                aria-label={`${network.pause ? 'Resume' : 'Pause'} the network ${network.name}…`}
                onClick={() => assign(changing, network)}
              >
                {network.pause ? 'Resume…' : 'Pause…'}
              </button>
            )}
          </li>
        ))}
      </ul>
      {changing.value && (
        <PauseDialog
          network={changing.value}
          close={() => {
            changing.value = undefined
            reload()
          }}
        />
      )}
    </section>
  )
}

/** In the headline: it explains why nothing is sent. */
export function PausedNetworks({ relayers }: { relayers: readonly OverviewView[] }) {
  const names = networksOf(relayers).flatMap(({ name, pause }) => (pause ? [name] : []))
  if (names.length === 0) return null
  return (
    <small>
      {names.length === 1 ? 'network' : 'networks'} {names.join(', ')} {names.length === 1 ? 'is' : 'are'} paused
    </small>
  )
}

function networksOf(relayers: readonly OverviewView[]): readonly ShownNetwork[] {
  return [...Map.groupBy(relayers, ({ network }) => network)]
    .map(([name, of]) => ({ name, relayers: of.length, pause: of.find((each) => each.network_pause)?.network_pause }))
    .sort((one, other) => one.name.localeCompare(other.name))
}

function Paused({ pause: { at, by, note } }: { pause: NonNullable<Pause> }) {
  return (
    <>
      {' '}
      <Badge tone="warn">Paused</Badge>{' '}
      <span title={`by the API key ${by}`}>
        for <Age at={at} />
        {note === undefined ? '' : `: ${note}`}
      </span>
    </>
  )
}

function PauseDialog({ network, close }: { network: ShownNetwork; close: () => void }) {
  const note = useSignal('')
  // The page shows a hundred of them.
  const { answer } = useLoad<readonly RelayerView[]>('/v1/relayers?per_page=1000', false)
  const { name, pause } = network
  const path = pathOf`/v1/networks/${`evm:${name}`}/pause`
  const method = pause ? 'DELETE' : 'PUT'
  const body = pause ? undefined : note.value === '' ? {} : { note: note.value }
  const its = answer?.data.filter((relayer) => relayer.network === name) ?? []
  return (
    <Dialog
      title={`${pause ? 'Resume' : 'Pause'} the network ${name}?`}
      confirm={pause ? 'Resume the network' : 'Pause the network'}
      isHarmless={pause !== undefined}
      isReady={answer !== undefined}
      call={{ path, method, body }}
      close={close}
    >
      {answer === undefined ? (
        <p>Counting its relayers…</p>
      ) : pause ? (
        <Resuming its={its} />
      ) : (
        <Pausing its={its} isAll={answer.total <= answer.data.length} />
      )}
      {!pause && <TextField label="Note for others (optional)" text={note} maxLength={1000} />}
    </Dialog>
  )
}

function Pausing({ its, isAll }: { its: readonly RelayerView[]; isAll: boolean }) {
  const sending = its.filter(({ paused }) => !paused).length
  return (
    <p>
      {isAll ? '' : 'At least '}
      {plural(sending, 'relayer')} {sending === 1 ? 'stops' : 'stop'}
      {sending < its.length &&
        ` (${its.length - sending} more ${its.length - sending === 1 ? 'is' : 'are'} paused already)`}
      : no sends are taken and no nonces bound, also by relayers that are created later. Transactions in flight,
      cancellations and sweeps go on.
    </p>
  )
}

function Resuming({ its }: { its: readonly RelayerView[] }) {
  const own = its.filter(({ paused }) => paused).map(({ id }) => id)
  const sending = its.length - own.length
  return (
    <p>
      {plural(sending, 'relayer')} {sending === 1 ? 'takes' : 'take'} sends again, and what is queued can get nonces.
      {own.length > 0 && ` Still paused themselves: ${own.join(', ')}.`}
    </p>
  )
}
