// The confirmation before the selected transactions of a list become one bulk cancellation.
import { useSignal } from '@preact/signals'
import type { BulkInput } from '../../client/bulk-types.ts'
import { bulksPath, useMakeBulk } from '../state/bulk.ts'
import { plural } from '../state/format.ts'
import { Dialog } from './dialog.tsx'
import { ApiCall, NoteField } from './pieces.tsx'

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
  return (
    <Dialog
      title={`Cancel ${plural(ids.length, 'transaction')} of ${relayer}?`}
      confirm={`Cancel ${plural(ids.length, 'transaction')}`}
      act={() => make(body)}
      close={close}
    >
      <p>One cancellation takes them all, in one commit. Its page shows the verdicts and the cost.</p>
      <NoteField label="Reason (optional)" text={reason} />
      <ApiCall method="POST" path={bulksPath} body={body} />
    </Dialog>
  )
}
