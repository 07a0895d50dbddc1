// Pauses a relayer, or lets it send again.
import { useSignal } from '@preact/signals'
import type { OverviewView } from '../../client/relayer-types.ts'
import { plural } from '../state/format.ts'
import { pathOf } from '../state/request.ts'
import { Dialog } from './dialog.tsx'
import { assign } from './pieces.tsx'

export function PauseButton({ relayer, reload }: { relayer: OverviewView; reload: () => void }) {
  const isOpen = useSignal(false)
  return (
    <>
      <button type="button" onClick={() => assign(isOpen, true)}>
        {relayer.paused ? 'Resume…' : 'Pause…'}
      </button>
      {isOpen.value && (
        <PauseDialog
          relayer={relayer}
          close={() => {
            isOpen.value = false
            reload()
          }}
        />
      )}
    </>
  )
}

function PauseDialog({ relayer, close }: { relayer: OverviewView; close: () => void }) {
  const path = pathOf`/v1/relayers/${relayer.id}`
  const body = { paused: !relayer.paused }
  const { queued, in_flight: inFlight } = relayer
  return (
    <Dialog
      title={`${relayer.paused ? 'Resume' : 'Pause'} ${relayer.id}?`}
      confirm={relayer.paused ? 'Resume the relayer' : 'Pause the relayer'}
      isHarmless={relayer.paused}
      call={{ path, method: 'PATCH', body }}
      close={close}
    >
      {relayer.paused ? (
        <p>
          {relayer.network_pause
            ? `Its network ${relayer.network} is paused, too: until that is lifted, it takes no sends.`
            : `It takes sends again, and ${plural(queued, 'transaction')} in the queue can get nonces.`}
        </p>
      ) : (
        <p>
          It takes no sends, and {plural(queued, 'transaction')} in the queue get no nonces.{' '}
          {plural(inFlight, 'transaction')} in flight and all cancellations go on.
        </p>
      )}
    </Dialog>
  )
}
