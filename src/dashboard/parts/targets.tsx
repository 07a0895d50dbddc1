// Some transactions of a cancellation, each with what its payload moves, and the count of all others.
import type { TransactionView } from '../../client/transaction-types.ts'
import { grouped } from '../state/format.ts'
import { Ether } from './exact.tsx'
import { Copy, TransactionLink } from './pieces.tsx'

export const targetsMax = 20

export function Targets({
  caption,
  unbound,
  transactions,
  total,
  symbol,
}: {
  caption: string
  /** What one without a nonce has instead. */
  unbound: string
  transactions: readonly TransactionView[]
  total: number
  symbol: string
}) {
  const shown = transactions.slice(0, targetsMax)
  return (
    <>
      <div class="scroll">
        <table class="list cards targets">
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">Transaction</th>
              <th scope="col" class="number">
                Nonce
              </th>
              <th scope="col">To</th>
              <th scope="col" class="number">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, relayer_id: relayer, nonce, to, value }) => (
              <tr key={id}>
                <th scope="row">
                  <TransactionLink relayer={relayer} id={id} />
                </th>
                <td class="number" data-label={nonce === undefined ? undefined : 'Nonce'}>
                  {nonce === undefined ? unbound : grouped(nonce)}
                </td>
                <td data-label="To">{to === undefined ? 'contract creation' : <Copy text={to} label="receiver" />}</td>
                <td class="number" data-label="Value">
                  <Ether wei={value} symbol={symbol} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > shown.length && <p class="note">And {grouped(total - shown.length)} more.</p>}
    </>
  )
}
