// The confirmation before the selected transactions of a list become one bulk cancellation, of no more than its preview showed.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { BulkInput } from '../../client/bulk-types.ts'
import { boundBy, bulksPath, useMakeBulk, usePreview } from '../state/bulk.ts'
import { plural } from '../state/format.ts'
import { boundWords, Previewed } from './bulk-preview.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './pieces.tsx'

export function CancelSelected({
  relayer,
  ids,
  close,
}: {
  relayer: string
  ids: readonly string[]
  close: () => void
}) {
  const reason = useSignal('')
  const make = useMakeBulk()
  const why = reason.value.trim()
  const body: BulkInput = { filter: { ids }, relayers: [relayer], ...(why !== '' && { reason: why }) }
  const previewing = usePreview(body)
  useEffect(() => void previewing.read(), [])
  const { preview } = previewing
  const bounded = preview ? boundBy(preview, body) : body
  return (
    <Dialog
      title={`Cancel ${plural(ids.length, 'transaction')} of ${relayer}?`}
      confirm={`Cancel ${plural(preview?.counts.matches ?? ids.length, 'transaction')}`}
      call={{ method: 'POST', path: bulksPath, body: bounded }}
      send={() => make(bounded)}
      close={close}
      isReady={preview !== undefined && preview.counts.matches > 0}
    >
      <p>One cancellation takes them all, in one commit. Its page shows the verdicts and the cost.</p>
      <Previewed previewing={previewing}>{boundWords}</Previewed>
      <TextField label="Reason (optional)" text={reason} maxLength={1000} />
    </Dialog>
  )
}
