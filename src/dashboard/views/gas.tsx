// Gas spent a day: a chart of the days, and a table with the amounts, beside them what was spent with values.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { DailySpendView } from '../../client/dashboard-types.ts'
import type { OverviewView } from '../../client/relayer-types.ts'
import { Chart } from '../parts/chart.tsx'
import { Ether } from '../parts/exact.tsx'
import { assign, Empty, Heading, Shown } from '../parts/pieces.tsx'
import { Table } from '../parts/table.tsx'
import { now } from '../state/clock.ts'
import { grouped } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf } from '../state/request.ts'

const spans = [7, 30, 90, 365]

export function Gas() {
  const days = useSignal(30)
  const loaded = useLoad<readonly DailySpendView[]>(`/v1/daily-spend?days=${days.value}`)
  const relayers = useLoad<readonly OverviewView[]>('/v1/overview?per_page=100', false)
  const networks = new Map((relayers.answer?.data ?? []).map((view) => [view.id, view.network]))
  return (
    <>
      <Heading
        aside={
          <label class="filter">
            Days{' '}
            <select value={days.value} onChange={(event) => assign(days, Number(event.currentTarget.value))}>
              {spans.map((span) => (
                <option key={span} value={span}>
                  {span}
                </option>
              ))}
            </select>
          </label>
        }
      >
        Gas spent a day
      </Heading>
      <p class="reason">
        Fees of everything that was mined, on the day (UTC) on which it became final. The no-ops are among the
        transactions. Values are those of payments, without sweeps.
      </p>
      <Shown loaded={loaded} what="the daily totals">
        {(totals) =>
          totals.length === 0 ? (
            <Empty title="No gas spent in these days">A total appears when the first transaction is final.</Empty>
          ) : (
            bySymbol(totals, networks).map(([symbol, ofSymbol]) => (
              <Totals key={symbol} symbol={symbol} totals={ofSymbol} days={days.value} />
            ))
          )
        }
      </Shown>
    </>
  )
}

/** Amounts of different currencies are never added. */
function bySymbol(totals: readonly DailySpendView[], networks: ReadonlyMap<string, string>) {
  return [...Map.groupBy(totals, ({ relayer_id: id }) => networkOf(networks.get(id)).symbol)]
}

const daySeconds = 86_400

function Totals({ symbol, totals, days }: { symbol: string; totals: readonly DailySpendView[]; days: number }) {
  const series = useMemo(() => {
    const today = Math.floor(now() / 1000 / daySeconds)
    const all = Array.from({ length: days }, (_, index) => (today - days + 1 + index) * daySeconds)
    const amounts = all.map((day) => {
      const name = new Date(day * 1000).toISOString().slice(0, 10)
      const wei = totals.filter((each) => each.day === name).reduce((sum, each) => sum + BigInt(each.fees), 0n)
      return Number(wei / 1_000_000_000n) / 1e9
    })
    return { days: all, amounts }
  }, [totals, days])
  const rows = [...totals].sort(
    (one, other) => other.day.localeCompare(one.day) || one.relayer_id.localeCompare(other.relayer_id),
  )
  const sum = totals.reduce((total, each) => total + BigInt(each.fees), 0n)
  return (
    <section>
      <h2>
        <Ether wei={sum} symbol={symbol} /> in {days} days
      </h2>
      <Chart times={series.days} amounts={series.amounts} unit={symbol} />
      <Table
        caption="Gas by day and relayer, newest first"
        rows={rows}
        keyOf={(row) => `${row.day} ${row.relayer_id}`}
        columns={[
          { title: 'Day', of: ({ day }) => day },
          {
            title: 'Relayer',
            isClear: true,
            of: ({ relayer_id: relayer }) => <a href={pathOf`/relayers/${relayer}`}>{relayer}</a>,
          },
          { title: 'Transactions', kind: 'number', of: ({ transactions }) => grouped(transactions) },
          { title: 'No-ops among them', kind: 'number', of: ({ no_ops: noOps }) => grouped(noOps) },
          {
            title: 'Fees',
            kind: 'number',
            of: ({ fees, unpriced }) => (
              <>
                <Ether wei={fees} symbol={symbol} />
                {unpriced > 0 && <small>without {grouped(unpriced)} whose fees no node reported</small>}
              </>
            ),
          },
          {
            title: 'Fees and values',
            kind: 'number',
            of: ({ spent }) => <Ether wei={spent} symbol={symbol} />,
          },
        ]}
      />
    </section>
  )
}
