// The confirmation before one transaction is canceled, with its cost.
import type { RelayerView } from '../../client/account-types.ts'
import type { CancellationPreviewView, TransactionView } from '../../client/transaction-types.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'
import { Cost } from './cost.tsx'
import { Dialog } from './dialog.tsx'
import { Copy, Shown } from './pieces.tsx'

export function CancelDialog({
  transaction,
  relayer,
  close,
}: {
  transaction: TransactionView
  relayer: RelayerView | undefined
  close: () => void
}) {
  const path = pathOf`/v1/relayers/${transaction.relayer_id}/transactions/${transaction.id}`
  const preview = useLoad<CancellationPreviewView>(`${path}/cancellation-preview`)
  const { symbol } = networkOf(relayer?.network)
  return (
    <Dialog
      title="Cancel this transaction?"
      confirm="Cancel the transaction"
      call={{ path, method: 'DELETE' }}
      close={close}
    >
      <p>
        Transaction <Copy text={transaction.id} label="id" />
        {transaction.nonce === undefined ? ' has no nonce yet.' : ` holds nonce ${transaction.nonce}.`} Once the
        cancellation is stored, no crash and no restart forgets it.
      </p>
      <Shown loaded={preview} what="the cost">
        {(data) => <Cost preview={data} relayer={relayer} symbol={symbol} />}
      </Shown>
    </Dialog>
  )
}
