// Stop everything: all relayers paused, and everything open of them canceled, after a typed confirmation.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { BulkInput } from '../../client/bulk-types.ts'
import type { OverviewView } from '../../client/relayer-types.ts'
import { Previewed } from '../parts/bulk-preview.tsx'
import { Heading, Shown, TextField } from '../parts/pieces.tsx'
import { TypedConfirm } from '../parts/typed-confirm.tsx'
import { bulksPath, mayStop, useMakeBulk, usePreview } from '../state/bulk.ts'
import { grouped, plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'

export function StopEverything() {
  const reason = useSignal('')
  const make = useMakeBulk()
  const loaded = useLoad<readonly OverviewView[]>('/v1/overview?per_page=1000')
  const why = reason.value.trim()
  const body: BulkInput = { filter: {}, relayers: 'all', pause: true, ...(why !== '' && { reason: why }) }
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/bulk-cancellations">Bulk cancellations</a> <span aria-hidden="true">/</span> Stop everything
      </nav>
      <Heading>Stop everything</Heading>
      <div class="panel">
        <p class="lead">
          Each relayer is paused, and everything open of it is canceled in the same commit: what no node had is free,
          and everything else gets a no-op. The pauses stay until each relayer is resumed.
        </p>
        <Shown loaded={loaded} what="the relayers">
          {(relayers, total) => <Effect relayers={relayers} total={total} />}
        </Shown>
        {mayStop() ? (
          <>
            <Foreseen body={body} />
            <TypedConfirm
              word="stop everything"
              act="Stop everything"
              path={bulksPath}
              body={body}
              run={() => make(body)}
            >
              <TextField label="Reason (optional)" text={reason} maxLength={1000} />
            </TypedConfirm>
          </>
        ) : (
          <p class="notice warn">This key may not do that. A key with the scopes “cancel” and “pause” may.</p>
        )}
      </div>
    </>
  )
}

/** For information: a stop in an emergency also takes later sends, and needs no preview. */
function Foreseen({ body }: { body: BulkInput }) {
  const previewing = usePreview(body)
  useEffect(() => void previewing.read(), [])
  return (
    <Previewed previewing={previewing}>
      This preview binds nothing: the stop also cancels later sends, and does not wait for it.
    </Previewed>
  )
}

function Effect({ relayers, total }: { relayers: readonly OverviewView[]; total: number }) {
  const open = relayers.reduce((sum, view) => sum + view.queued + view.in_flight, 0)
  const isAll = relayers.length >= total
  return (
    <p>
      {plural(total, 'relayer')}, with {isAll ? '' : 'at least '}
      {grouped(open)} open {open === 1 ? 'transaction' : 'transactions'}.
    </p>
  )
}
