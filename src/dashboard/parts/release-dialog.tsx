// The release of a transaction on hold, with the digest of the payload that the dialog shows.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { HoldView, TransactionView } from '../../client/transaction-types.ts'
import { pathOf, request } from '../state/request.ts'
import { Dialog } from './dialog.tsx'
import { ApiCall } from './pieces.tsx'

export function ReleaseDialog({ transaction, close }: { transaction: TransactionView; close: () => void }) {
  const hold = useSignal<HoldView | undefined>(undefined)
  const one = pathOf`/v1/relayers/${transaction.relayer_id}/transactions/${transaction.id}`
  useEffect(() => {
    void request<HoldView>(`${one}/hold`).then(({ data }) => {
      hold.value = data
    })
  }, [one])
  const path = `${one}/release`
  return (
    <Dialog
      title="Release this transaction?"
      confirm="Release it"
      isHarmless
      isReady={hold.value !== undefined}
      act={async () => {
        await request(path, { method: 'POST', body: { payload_digest: hold.value?.payload_digest } })
      }}
      close={close}
    >
      <p>
        It goes into the queue at its old place, and is sent when its turn comes. Only a new payload can put it back on
        hold.
      </p>
      {hold.value && <pre>{JSON.stringify(hold.value.payload, undefined, 2)}</pre>}
      <ApiCall method="POST" path={path} />
    </Dialog>
  )
}
