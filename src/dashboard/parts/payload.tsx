// What a transaction does: the receiver, the value, and its data, decoded where it is a call of a common standard.
import type { TransactionView } from '../../client/transaction-types.ts'
import { type DecodedCall, decodeCall, type InnerCall } from '../state/decode.ts'
import { grouped, plural } from '../state/format.ts'
import { networkOf } from '../state/networks.ts'
import { Ether } from './exact.tsx'
import { Copy, Explore } from './pieces.tsx'

/** More would only make the page slow: the API has all of it. */
const shownCallsMax = 50
const shownCharactersMax = 2_000

export function Payload({ transaction, network }: { transaction: TransactionView; network: string | undefined }) {
  const { symbol, explorer } = networkOf(network)
  const { to, value, data } = transaction
  return (
    <dl class="payload">
      <dt>To</dt>
      <dd>
        {to === undefined ? (
          'a new contract'
        ) : (
          <>
            <Copy text={to} label="receiver" whole />
            <Explore url={explorer} kind="address" id={to} />
          </>
        )}
      </dd>
      <dt>Value</dt>
      <dd>
        <Ether wei={value} symbol={symbol} />
      </dd>
      {transaction.gas_limit !== undefined && (
        <>
          <dt>Gas limit</dt>
          <dd class="amount">{grouped(transaction.gas_limit)}</dd>
        </>
      )}
      {transaction.speed && (
        <>
          <dt>Speed</dt>
          <dd>{transaction.speed.name}</dd>
        </>
      )}
      <dt>Data</dt>
      <dd>
        <Data data={data} symbol={symbol} />
      </dd>
    </dl>
  )
}

function Data({ data, symbol }: { data: string; symbol: string }) {
  if (data.length <= 2) return <>none</>
  const call = decodeCall(data)
  return (
    <>
      {call ? <Call call={call} symbol={symbol} /> : <Words data={data} />}
      <details>
        <summary>{plural((data.length - 2) / 2, 'byte')}</summary>
        <pre>{data.length > shownCharactersMax ? `${data.slice(0, shownCharactersMax)}…` : data}</pre>
        <Copy text={data} label="data" />
      </details>
    </>
  )
}

function Call({ call, symbol }: { call: DecodedCall; symbol: string }) {
  return (
    <div class="call">
      <strong>{call.name}</strong> <span class="unit">{call.standard}</span>
      <dl>
        {call.parameters.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {/^0x[\da-f]{40}$/i.test(value) ? <Copy text={value} label={name} /> : <code>{shown(name, value)}</code>}
            </dd>
          </div>
        ))}
      </dl>
      {call.calls && (
        <ol>
          {call.calls.slice(0, shownCallsMax).map((inner, index) => (
            <li key={index}>
              <Inner call={inner} symbol={symbol} />
            </li>
          ))}
        </ol>
      )}
      {call.calls && call.calls.length > shownCallsMax && (
        <p class="note">and {call.calls.length - shownCallsMax} more</p>
      )}
    </div>
  )
}

/** Amounts are read by their thousands. An id is compared digit by digit. */
function shown(name: string, value: string): string {
  if (name === 'amount') return grouped(value)
  return name === 'amounts' ? value.split(', ').map(grouped).join(' · ') : value
}

function Inner({ call, symbol }: { call: InnerCall; symbol: string }) {
  const decoded = decodeCall(call.data)
  return (
    <>
      <Copy text={call.to} label="receiver" />
      {call.value !== undefined && call.value !== '0' && (
        <>
          {' '}
          with <Ether wei={call.value} symbol={symbol} />
        </>
      )}
      {decoded ? <Call call={decoded} symbol={symbol} /> : <Words data={call.data} />}
    </>
  )
}

/** Without its interface, a call is a selector and words. */
function Words({ data }: { data: string }) {
  const words = (data.slice(10).match(/.{1,64}/g) ?? []).slice(0, 8)
  return (
    <div class="call">
      Selector <code>{data.slice(0, 10)}</code>
      {words.length > 0 && (
        <ol start={0}>
          {words.map((word, index) => (
            <li key={index}>
              <code>{word}</code>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
