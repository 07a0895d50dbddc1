// Another payload for the nonce of a transaction: the same at a higher price, or a new one.
import { useSignal } from '@preact/signals'
import type { SendInput, TransactionView } from '../../client/transaction-types.ts'
import { etherText, weiOfEther } from '../state/format.ts'
import { pathOf } from '../state/request.ts'
import { Dialog } from './dialog.tsx'
import { assign, TextField } from './pieces.tsx'

interface Replacing {
  readonly transaction: TransactionView
  readonly close: () => void
}

const pathFor = ({ relayer_id: relayer, id }: TransactionView) => pathOf`/v1/relayers/${relayer}/transactions/${id}`

/** The payload stays, and the market's highest price takes the place of its own. */
function fasterOf({ to, value, data, ...more }: TransactionView): SendInput {
  const { gas_limit: gasLimit, access_list: accessList, allow_out_of_gas: allowOutOfGas } = more
  return {
    ...(to !== undefined && { to }),
    ...{ value, data },
    ...(gasLimit !== undefined && { gas_limit: gasLimit }),
    ...(accessList && { access_list: accessList }),
    ...(allowOutOfGas && { allow_out_of_gas: allowOutOfGas }),
    speed: 'fastest',
  }
}

export function SpeedUpDialog({ transaction, close }: Replacing) {
  const path = pathFor(transaction)
  const body = fasterOf(transaction)
  return (
    <Dialog
      title="Speed this transaction up?"
      confirm="Speed it up"
      isHarmless
      call={{ path, method: 'PUT', body }}
      close={close}
    >
      <p>
        The same payload is signed again for its nonce, at the market’s highest price. Caps of the relayer hold. A price
        and a <code>valid_until</code> of its own no longer count.
      </p>
    </Dialog>
  )
}

/** No browser corrects or proposes it. */
const asWritten = { spellcheck: false, autocomplete: 'off' } as const

const speeds = ['safeLow', 'average', 'fast', 'fastest'] as const

export function ReplaceDialog({ transaction, close }: Replacing) {
  const path = pathFor(transaction)
  const to = useSignal(transaction.to ?? '')
  const value = useSignal(etherText(BigInt(transaction.value)))
  const data = useSignal(transaction.data)
  const speed = useSignal<(typeof speeds)[number]>('fastest')
  const wei = weiOfEther(value.value)
  const body: SendInput = {
    ...(to.value !== '' && { to: to.value.trim() }),
    value: String(wei ?? '…'),
    data: data.value.trim(),
    speed: speed.value,
  }
  return (
    <Dialog
      title="Replace this transaction?"
      confirm="Replace the transaction"
      isReady={wei !== undefined}
      call={{ path, method: 'PUT', body }}
      close={close}
    >
      <p>
        Another payload takes the nonce. Until it is mined, the earlier one may still be: exactly one of the two
        executes. An earlier <code>valid_until</code> no longer counts.
      </p>
      <TextField label="To (empty: a new contract)" text={to} {...asWritten} />
      <TextField label="Value in ether" text={value} {...asWritten} />
      <TextField label="Data" text={data} {...asWritten} />
      <label>
        Speed
        <select
          value={speed.value}
          onChange={({ currentTarget }) =>
            assign(speed, speeds.find((each) => each === currentTarget.value) ?? 'fastest')
          }
        >
          {speeds.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
    </Dialog>
  )
}
