// Amounts and times in short, each with its exact value on hover, on focus, and for screen readers.
import {
  exactAmount,
  exactlyInGwei,
  inGwei,
  isNoBalance,
  noBalanceText,
  shownAmount,
} from '../../domain/shown-amount.ts'
import { exactTime, localTime } from '../state/format.ts'

/** In ether, under the name that its network has for it; a small one in gwei. */
export function Ether({
  wei,
  symbol,
  isPayment = false,
}: {
  wei: string | bigint
  symbol: string
  isPayment?: boolean
}) {
  const amount = BigInt(wei)
  // A payment has to suffice.
  const { figure, unit } = shownAmount(amount, { up: isPayment })
  return <Amount figure={figure} exact={exactAmount(amount).figure} unit={unit === 'ether' ? symbol : unit} />
}

/** The balance of an account. */
export function Balance({ wei, symbol }: { wei: string; symbol: string }) {
  return isNoBalance(BigInt(wei)) ? <span>none: {noBalanceText}</span> : <Ether wei={wei} symbol={symbol} />
}

/** A price of gas. */
export function Gwei({ wei }: { wei: string | bigint }) {
  const figure = (text: string) => text.replace(' gwei', '')
  const price = BigInt(wei)
  return <Amount figure={figure(inGwei(price))} exact={figure(exactlyInGwei(price))} unit="gwei" />
}

function Amount({ figure, exact, unit }: { figure: string; exact: string; unit: string }) {
  const shown = (
    <>
      {figure} <span class="unit">{unit}</span>
    </>
  )
  if (figure === exact) return <span class="amount">{shown}</span>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches the exact value as the pointer does
    <span class="amount short" tabIndex={0} title={`${exact} ${unit}`}>
      {shown}
      <span class="unseen whole">
        {' '}
        = {exact} {unit}
      </span>
    </span>
  )
}

/** In the reader's time zone. The API and the log have UTC. */
export function Time({ at }: { at: string }) {
  const utc = exactTime(at)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches the exact value as the pointer does
    <time class="short" dateTime={at} tabIndex={0} title={utc}>
      {localTime(at)}
      <span class="unseen whole"> = {utc}</span>
    </time>
  )
}
