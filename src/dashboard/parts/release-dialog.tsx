// The release of a transaction on hold.
import type { TransactionView } from '../../client/transaction-types.ts'
import { pathOf, request } from '../state/request.ts'
import { Dialog } from './dialog.tsx'
import { ApiCall } from './pieces.tsx'

export function ReleaseDialog({ transaction, close }: { transaction: TransactionView; close: () => void }) {
  const path = pathOf`/v1/relayers/${transaction.relayer_id}/transactions/${transaction.id}/release`
  return (
    <Dialog
      title="Release this transaction?"
      confirm="Release it"
      isHarmless
      act={async () => {
        await request(path, { method: 'POST' })
      }}
      close={close}
    >
      <p>
        It goes into the queue at its old place, and is sent when its turn comes. Only a new payload can put it back on
        hold.
      </p>
      <ApiCall method="POST" path={path} />
    </Dialog>
  )
}
