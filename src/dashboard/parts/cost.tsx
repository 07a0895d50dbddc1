// What a cancellation does and costs; without a node, what it does.

import type { RelayerView } from '../../client/account-types.ts'
import type { CancellationPreviewView } from '../../client/transaction-types.ts'
import { isNoBalance } from '../../domain/shown-amount.ts'
import { capOf } from '../state/caps.ts'
import { grouped, plural } from '../state/format.ts'
import { Ether, Gwei } from './exact.tsx'

export function Cost({
  preview,
  relayer,
  symbol,
}: {
  preview: CancellationPreviewView
  relayer: RelayerView | undefined
  symbol: string
}) {
  const noOps = preview.no_ops + preview.gaps
  const { over_cap: overCap = 0 } = preview
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
          <Amounts preview={preview} symbol={symbol} />
        </tbody>
      </table>
      {(noOps > 0 || preview.racing > 0) && preview.fee_per_gas && (
        <PerGas price={preview.fee_per_gas} relayer={relayer} />
      )}
      {preview.window && <FullWindow window={preview.window} symbol={symbol} />}
      {!preview.cost && <WithoutNode noOps={noOps} />}
      {preview.balance_covers?.today === false && (
        <p class="notice bad">
          <strong>The balance does not cover this.</strong> Send funds to the relayer first, or the no-ops wait.
        </p>
      )}
      {overCap > 0 && (
        <p class="notice warn">
          {plural(overCap, 'no-op')} would wait: today’s price is above <code>cancel_gas_price_cap</code>.
        </p>
      )}
    </>
  )
}

/** Each of them needs the chain. */
function Amounts({ preview, symbol }: { preview: CancellationPreviewView; symbol: string }) {
  const { cost, balance, block_number: block = 0 } = preview
  if (!cost || balance === undefined) return null
  return (
    <>
      <Amount title="Expected cost" note="if the next block holds all no-ops" wei={cost.expected} symbol={symbol} />
      <Amount title="At most" note="at today’s price" wei={cost.today} symbol={symbol} />
      {cost.max !== undefined && <Amount title="At most" note="under the cap" wei={cost.max} symbol={symbol} />}
      {!isNoBalance(BigInt(balance)) && (
        <Amount title="Balance" note={`at block ${grouped(block)}`} wei={balance} symbol={symbol} />
      )}
    </>
  )
}

function WithoutNode({ noOps }: { noOps: number }) {
  return (
    <p class="notice warn" role="status">
      <strong>No node answers, so neither the cost nor the balance can be shown.</strong> You can cancel all the same.{' '}
      {noOps > 0 && 'The no-ops are signed and broadcast as soon as a node answers.'}
    </p>
  )
}

/** The caps of sends and of no-ops differ, and a reader of one may expect it to limit both. */
function PerGas({
  price,
  relayer,
}: {
  price: NonNullable<CancellationPreviewView['fee_per_gas']>
  relayer: RelayerView | undefined
}) {
  const { today, max } = price
  const sends = capOf(relayer, 'gas_price_cap')
  return (
    <p class="note per-gas">
      {today !== undefined && (
        <>
          A no-op signed now offers at most <Gwei wei={today} /> for a unit of gas.{' '}
        </>
      )}
      {max === undefined ? (
        <>
          A later one may offer more: the relayer has no <code>cancel_gas_price_cap</code>.{' '}
        </>
      ) : (
        <>
          None offers more than <code>cancel_gas_price_cap</code>, <Gwei wei={max} />.{' '}
        </>
      )}
      {sends !== undefined && (
        <>
          <code>gas_price_cap</code>, <Gwei wei={sends} />, limits sends alone: a no-op may exceed it.
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
      at most <Ether wei={cost.today} symbol={symbol} /> at today’s price
      {cost.max !== undefined && (
        <>
          , and <Ether wei={cost.max} symbol={symbol} /> under the cap
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
        <Ether wei={wei} symbol={symbol} />
      </td>
    </tr>
  )
}
