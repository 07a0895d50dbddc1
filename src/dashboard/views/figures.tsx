// Transactions, times, gas, fees and calls of the last hour, day or week: charts, and a table that says the same.

import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { SeriesView } from '../../client/dashboard-types.ts'
import type { OverviewView } from '../../client/relayer-types.ts'
import { Chart } from '../parts/chart.tsx'
import { Ether } from '../parts/exact.tsx'
import { Heading, Shown } from '../parts/pieces.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { now } from '../state/clock.ts'
import { exactTime, grouped } from '../state/format.ts'
import { useLoad, useRead } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf, type Reply, type RequestOptions, request } from '../state/request.ts'

type Point = SeriesView['points'][number]

type CountedFigure = 'sent' | 'confirmed' | 'failed' | 'canceled' | 'expired' | 'gas_used' | 'calls' | 'failed_calls'

function sumOf(points: readonly Point[], figure: CountedFigure): number {
  return points.reduce((sum, point) => sum + (point[figure] ?? 0), 0)
}

/** By the index of the bound; the last has none. */
function timesOf(points: readonly Point[]): readonly number[] {
  const [first] = points
  return (first?.confirmation_times ?? []).map((_, index) =>
    points.reduce((sum, point) => sum + (point.confirmation_times[index] ?? 0), 0),
  )
}

/** Undefined without a confirmation. */
function averageSeconds(points: readonly Point[]): number | undefined {
  const confirmations = timesOf(points).reduce((sum, count) => sum + count, 0)
  if (confirmations === 0) return undefined
  return points.reduce((sum, point) => sum + point.confirmation_seconds, 0) / confirmations
}

function feesOn(points: readonly Point[], isOf: (network: string) => boolean): bigint {
  return points
    .flatMap(({ fees }) => fees)
    .reduce((sum, { network, fees }) => (isOf(network) ? sum + BigInt(fees) : sum), 0n)
}

/** Sums of a week take the server longer than a row: changes of transactions are read after a while. */
const seldomMs = 30_000

function readingSeldom(): (path: string, options: RequestOptions) => Promise<Reply<SeriesView>> {
  let last: { readonly path: string; readonly at: number; readonly reply: Reply<SeriesView> } | undefined
  return async (path, options) => {
    if (options.background && last?.path === path && now() - last.at < seldomMs) return last.reply
    const reply = await request<SeriesView>(path, options)
    last = { path, at: now(), reply }
    return reply
  }
}

type Range = 'hour' | 'day' | 'week'
type Options<T extends string> = readonly (readonly [value: T, name: string])[]

const ranges: Options<Range> = [
  ['hour', 'Last hour'],
  ['day', 'Last day'],
  ['week', 'Last week'],
]

export function Figures() {
  const range = useSignal<Range>('day')
  const relayer = useSignal('')
  const readSeldom = useMemo(readingSeldom, [])
  const path = pathOf`/v1/series?range=${range.value}`
  const loaded = useRead<SeriesView>(
    relayer.value === '' ? path : path + pathOf`&relayer_id=${relayer.value}`,
    readSeldom,
  )
  const relayers = useLoad<readonly OverviewView[]>('/v1/overview?per_page=100', false)
  const ids = (relayers.answer?.data ?? []).map(({ id }) => id)
  return (
    <>
      <Heading
        aside={
          <>
            <Choice label="Relayer" of={[['', 'All'], ...ids.map((id) => [id, id] as const)]} chosen={relayer} />
            <Choice label="Time" of={ranges} chosen={range} />
          </>
        }
      >
        Figures
      </Heading>
      <p class="reason">
        Counted in steps of five minutes, half an hour or two hours, in UTC, and kept for eight days. The last step has
        not ended.
      </p>
      <Shown loaded={loaded} what="the figures">
        {(series) => <Charts series={series} range={range.value} />}
      </Shown>
    </>
  )
}

function Choice<T extends string>({ label, of, chosen }: { label: string; of: Options<T>; chosen: Signal<T> }) {
  const choose = (value: string) => {
    const found = of.find(([each]) => each === value)
    if (found) chosen.value = found[0]
  }
  return (
    <label class="filter">
      {label}{' '}
      <select value={chosen.value} onChange={(event) => choose(event.currentTarget.value)}>
        {of.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

const counted: readonly (readonly [figure: CountedFigure, name: string])[] = [
  ['sent', 'Sent'],
  ['confirmed', 'Confirmed'],
  ['canceled', 'Canceled'],
]

function Charts({ series, range }: { series: SeriesView; range: Range }) {
  const { points, bounds_seconds: bounds } = series
  const average = averageSeconds(points)
  const symbols = symbolsOf(points)
  const draw = { points, range }
  return (
    <>
      <div class="charts">
        {counted.map(([figure, name]) => (
          <Figure
            key={figure}
            {...draw}
            name={name}
            sum={grouped(sumOf(points, figure))}
            of={(point) => point[figure] ?? 0}
          />
        ))}
        <Figure
          {...draw}
          name="Average time to confirmation"
          sum={average === undefined ? 'none' : seconds(average)}
          unit="s"
          of={(point) => averageSeconds([point]) ?? 0}
        />
        <Figure {...draw} name="Gas" sum={grouped(sumOf(points, 'gas_used'))} of={({ gas_used: gas }) => gas} />
        {[...symbols].map(([symbol, isOf]) => (
          <Figure
            key={symbol}
            {...draw}
            name="Fees"
            sum={<Ether wei={String(feesOn(points, isOf))} symbol={symbol} />}
            unit={symbol}
            of={(point) => Number(feesOn([point], isOf) / 1_000_000_000n) / 1e9}
          />
        ))}
        {points[0]?.calls !== undefined && (
          <Figure {...draw} name="Calls to nodes" sum={grouped(sumOf(points, 'calls'))} of={({ calls = 0 }) => calls} />
        )}
      </div>
      {average !== undefined && <Times times={timesOf(points)} bounds={bounds} />}
      <Steps points={points} symbols={symbols} />
    </>
  )
}

type Symbols = ReadonlyMap<string, (network: string) => boolean>

/** Amounts of different currencies are never added. */
function symbolsOf(points: readonly Point[]): Symbols {
  const networks = new Set(points.flatMap(({ fees }) => fees.map(({ network }) => network)))
  const symbols = new Set([...networks].map((network) => networkOf(network).symbol))
  return new Map([...symbols].map((symbol) => [symbol, (network: string) => networkOf(network).symbol === symbol]))
}

function Figure({
  points,
  range,
  name,
  sum,
  unit = '',
  of,
}: {
  points: readonly Point[]
  range: Range
  name: string
  sum: ComponentChildren
  unit?: string
  of: (point: Point) => number
}) {
  const drawn = useMemo(
    () => ({ times: points.map(({ at }) => Date.parse(at) / 1000), amounts: points.map(of) }),
    [points, name],
  )
  return (
    <section>
      <h2>
        {name}: {sum}
      </h2>
      <Chart {...drawn} unit={unit} isWithinDays={range !== 'week'} />
    </section>
  )
}

const seconds = (value: number) => (value < 10 ? `${value.toFixed(1)} s` : `${grouped(Math.round(value))} s`)

function Times({ times, bounds }: { times: readonly number[]; bounds: readonly number[] }) {
  const total = times.reduce((sum, count) => sum + count, 0)
  const reachedBy = (index: number) => times.slice(0, index + 1).reduce((sum, each) => sum + each, 0)
  const shown = times.slice(0, 1 + times.findLastIndex((count) => count > 0))
  return (
    <section>
      <h2>Time to confirmation</h2>
      <table class="list">
        <caption class="unseen">Confirmations by the time since their request</caption>
        <thead>
          <tr>
            <th scope="col">Took at most</th>
            <th scope="col" class="number">
              Transactions
            </th>
            <th scope="col" class="number">
              Share so far
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((count, index) => {
            const bound = bounds[index]
            return (
              <tr key={bound}>
                <th scope="row">{bound === undefined ? 'longer' : seconds(bound)}</th>
                <td class="number">{grouped(count)}</td>
                <td class="number">{Math.floor((reachedBy(index) / total) * 100)} %</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

const columns: readonly (readonly [figure: CountedFigure, name: string])[] = [
  ...counted,
  ['failed', 'Failed'],
  ['expired', 'Expired'],
  ['gas_used', 'Gas'],
  ['calls', 'Calls'],
  ['failed_calls', 'Failed calls'],
]

const isBusy = (point: Point) => columns.some(([figure]) => (point[figure] ?? 0) > 0) || point.fees.length > 0

function Steps({ points, symbols }: { points: readonly Point[]; symbols: Symbols }) {
  // A key that is bound to relayers gets no calls.
  const shown = columns.filter(([figure]) => points[0]?.[figure] !== undefined)
  return (
    <details class="figures" open>
      <summary>Table of the steps in which something happened</summary>
      <Table
        caption="The figures of each step, newest first"
        rows={points.filter(isBusy).toReversed()}
        keyOf={({ at }) => at}
        columns={[
          { title: 'From', of: ({ at }) => <time dateTime={at}>{exactTime(at).slice(0, 16)}</time> },
          ...shown.map(([figure, title]): Column<Point> => {
            return {
              title,
              kind: 'number',
              isExtra: figure.includes('calls'),
              of: (point) => grouped(point[figure] ?? 0),
            }
          }),
          { title: 'Average time', kind: 'number', of: (point) => secondsOf(point) },
          ...[...symbols].map(([symbol, isOf]): Column<Point> => {
            const feesOf = (point: Point) => <Ether wei={String(feesOn([point], isOf))} symbol={symbol} />
            return { title: `Fees in ${symbol}`, kind: 'number', of: feesOf }
          }),
        ]}
      />
    </details>
  )
}

function secondsOf(point: Point): string {
  const average = averageSeconds([point])
  return average === undefined ? '–' : seconds(average)
}
