// What a cancellation does and costs, to the wei.
import type { RelayerView } from '../../client/account-types.ts'
import type { CancellationPreviewView } from '../../client/transaction-types.ts'
import { capOf } from '../state/caps.ts'
import { ether, grouped, gwei, plural } from '../state/format.ts'

export function Cost({
  preview,
  relayer,
  symbol,
}: {
  preview: CancellationPreviewView
  relayer: RelayerView | undefined
  symbol: string
}) {
  const { cost, balance_covers: covers } = preview
  const noOps = preview.no_ops + preview.gaps
  return (
    <>
      <table class="cost">
        <caption class="unseen">What the cancellation costs</caption>
        <tbody>
          {preview.free > 0 && (
            <Line title="End at once, at no cost" note="no node ever had them" count={preview.free} />
          )}
          {noOps > 0 && (
            <Line
              title="Need a no-op each"
              note={
                preview.gaps > 0
                  ? `${plural(preview.gaps, 'gap')} among them`
                  : 'a node may have them: an empty transaction takes each nonce'
              }
              count={noOps}
            />
          )}
          {preview.racing > 0 && (
            <Line title="Were canceled before" note="they come beside these" count={preview.racing} />
          )}
          {preview.too_late > 0 && (
            <Line title="Too late to cancel" note="their nonce is spent" count={preview.too_late} />
          )}
          <Amount title="Expected cost" note="if the next block holds all no-ops" wei={cost.expected} symbol={symbol} />
          <Amount title="At most" note="at today’s price" wei={cost.today} symbol={symbol} />
          {cost.max !== undefined && <Amount title="At most" note="under the cap" wei={cost.max} symbol={symbol} />}
          <Amount
            title="Balance"
            note={`at block ${grouped(preview.block_number)}`}
            wei={preview.balance}
            symbol={symbol}
          />
        </tbody>
      </table>
      {(noOps > 0 || preview.racing > 0) && <PerGas preview={preview} relayer={relayer} />}
      {preview.window && <FullWindow window={preview.window} symbol={symbol} />}
      {!covers.today && (
        <p class="notice bad">
          <strong>The balance does not cover this.</strong> Send funds to the relayer first, or the no-ops wait.
        </p>
      )}
      {preview.over_cap > 0 && (
        <p class="notice warn">
          {plural(preview.over_cap, 'no-op')} would wait: today’s price is above <code>cancel_gas_price_cap</code>.
        </p>
      )}
    </>
  )
}

/** The caps of sends and of no-ops differ, and a reader of one may expect it to limit both. */
function PerGas({ preview, relayer }: { preview: CancellationPreviewView; relayer: RelayerView | undefined }) {
  const { today, max } = preview.fee_per_gas
  const sends = capOf(relayer, 'gas_price_cap')
  return (
    <p class="note per-gas">
      {today !== undefined && <>A no-op signed now offers at most {gwei(BigInt(today))} gwei for a unit of gas. </>}
      {max === undefined ? (
        <>
          A later one may offer more: the relayer has no <code>cancel_gas_price_cap</code>.{' '}
        </>
      ) : (
        <>
          None offers more than <code>cancel_gas_price_cap</code>, {gwei(BigInt(max))} gwei.{' '}
        </>
      )}
      {sends !== undefined && (
        <>
          <code>gas_price_cap</code>, {gwei(sends)} gwei, limits sends alone: a no-op may exceed it.
        </>
      )}
    </p>
  )
}

/** What a full window would cost: the number to see before `max_in_flight` is raised. */
function FullWindow({ window, symbol }: { window: NonNullable<CancellationPreviewView['window']>; symbol: string }) {
  const { present, most, cost, balance_covers: covers } = window
  return (
    <p class="note per-gas">
      {plural(most, 'transaction')} may be in flight at most
      {present !== undefined && present !== most && <>, and {grouped(present)} now</>}. Canceling {grouped(most)} costs
      at most {ether(BigInt(cost.today))} {symbol} at today’s price
      {cost.max !== undefined && (
        <>
          , and {ether(BigInt(cost.max))} {symbol} under the cap
        </>
      )}
      . {covers.today ? '' : 'The balance does not cover that.'}
    </p>
  )
}

function Line({ title, note, count }: { title: string; note: string; count: number }) {
  return (
    <tr>
      <th scope="row">
        {title} <small>{note}</small>
      </th>
      <td class="number">{grouped(count)}</td>
    </tr>
  )
}

function Amount({ title, note, wei, symbol }: { title: string; note?: string; wei: string; symbol: string }) {
  return (
    <tr>
      <th scope="row">
        {title} {note && <small>{note}</small>}
      </th>
      <td class="number">
        {ether(BigInt(wei))} {symbol}
        <small>{grouped(wei)} wei</small>
      </td>
    </tr>
  )
}
