// One bulk cancellation: who and why, its progress at each relayer, its refusals, and its transactions with their verdicts.
import { useSignal } from '@preact/signals'
import type { BulkTransactionView, BulkView } from '../../client/bulk-types.ts'
import { filterWords, limitWords, refusalWords } from '../../words/bulk.ts'
import { BulkBadge, BulkCost, BulkTally } from '../parts/bulk-state.tsx'
import { Ether, Time } from '../parts/exact.tsx'
import { Badge, Copy, Empty, Fact, Heading, Pages, Shown, StateBadge, TransactionLink } from '../parts/pieces.tsx'
import { Table } from '../parts/table.tsx'
import { bulksPath, useSymbols } from '../state/bulk.ts'
import { grouped } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { pathOf } from '../state/request.ts'

const perPage = 25

export function BulkCancellation({ id }: { id: string }) {
  const path = `${bulksPath}${pathOf`/${id}`}`
  const loaded = useLoad<BulkView>(path)
  const bulk = loaded.answer?.data
  const symbolOf = useSymbols()
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/bulk-cancellations">Bulk cancellations</a> <span aria-hidden="true">/</span> {bulk?.name ?? id}
      </nav>
      <Heading aside={bulk && <BulkBadge bulk={bulk} />}>{bulk?.name ?? 'Bulk cancellation'}</Heading>
      <Shown loaded={loaded} what="the bulk cancellation">
        {(data) => (
          <>
            <Facts bulk={data} />
            <BulkTally bulk={data} symbol={symbolOf(data.relayers)} />
            <CostMax bulk={data} symbol={symbolOf(data.relayers)} />
            <Parts bulk={data} symbolOf={symbolOf} />
            <Refused bulk={data} />
            <Canceled path={path} />
          </>
        )}
      </Shown>
    </>
  )
}

/** The sum of the shares. They have one symbol: the service refuses a limit over several. */
function CostMax({ bulk: { parts }, symbol }: { bulk: BulkView; symbol: string | undefined }) {
  const shares = parts.flatMap(({ cost_max: share }) => (share === undefined ? [] : [BigInt(share)]))
  if (shares.length === 0 || symbol === undefined) return null
  return (
    <p>
      Cost at most: <Ether wei={shares.reduce((sum, each) => sum + each)} symbol={symbol} isPayment />
    </p>
  )
}

function Facts({ bulk }: { bulk: BulkView }) {
  return (
    <dl class="facts">
      <Fact name="Filter">{[filterWords(bulk.filter), ...limitWords(bulk)].join(', ')}</Fact>
      {bulk.reason !== undefined && <Fact name="Reason">{bulk.reason}</Fact>}
      <Fact name="Requested" title={bulk.requested_by && `by the API key ${bulk.requested_by}`}>
        <Time at={bulk.requested_at} />
      </Fact>
      <Fact name="Relayers">
        {bulk.every_relayer ? 'all' : bulk.relayers.join(', ')} {bulk.pause && <Badge tone="warn">Paused by it</Badge>}
      </Fact>
      {bulk.final_at !== undefined && (
        <Fact name="Final">
          <Time at={bulk.final_at} />
        </Fact>
      )}
      <Fact name="Id">
        <Copy text={bulk.id} label="id" />
      </Fact>
    </dl>
  )
}

const partWords = {
  waiting: ['bad', 'not stopped yet'],
  written: ['quiet', 'stopped'],
} as const

function Parts({ bulk, symbolOf }: { bulk: BulkView; symbolOf: ReturnType<typeof useSymbols> }) {
  return (
    <section aria-labelledby="parts">
      <h2 id="parts">Relayers</h2>
      <Table
        caption="The progress at each relayer"
        rows={bulk.parts}
        keyOf={({ relayer_id: relayer }) => relayer}
        columns={[
          { title: 'Relayer', of: ({ relayer_id: relayer }) => <a href={pathOf`/relayers/${relayer}`}>{relayer}</a> },
          { title: 'State', isClear: true, of: ({ state }) => <PartBadge state={state} /> },
          { title: 'Free', of: ({ counts }) => grouped(counts.dropped) },
          { title: 'Racing', of: ({ counts }) => grouped(counts.racing) },
          { title: 'Won', of: ({ counts }) => grouped(counts.won) },
          { title: 'Too late', of: ({ counts }) => grouped(counts.lost + counts.external) },
          {
            title: 'Cost',
            of: ({ counts, relayer_id: relayer }) => <BulkCost counts={counts} symbol={symbolOf([relayer])} />,
          },
          { title: 'Final', of: ({ final }) => (final ? 'yes' : 'no') },
        ]}
      />
    </section>
  )
}

function PartBadge({ state }: Pick<BulkView['parts'][number], 'state'>) {
  const [tone, words] = partWords[state]
  return <Badge tone={tone}>{words}</Badge>
}

function Refused({ bulk }: { bulk: BulkView }) {
  const refused = bulk.parts.flatMap((part) => part.refused.map((each) => ({ ...each, relayer: part.relayer_id })))
  if (refused.length === 0) return null
  return (
    <section aria-labelledby="refused">
      <h2 id="refused">Not canceled</h2>
      <ul>
        {refused.map(({ relayer, ...refusal }) => (
          <li key={refusal.transaction_id}>
            <TransactionLink relayer={relayer} id={refusal.transaction_id} /> {refusalWords(refusal)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Canceled({ path }: { path: string }) {
  const page = useSignal(1)
  const loaded = useLoad<readonly BulkTransactionView[]>(`${path}/transactions?per_page=${perPage}&page=${page.value}`)
  return (
    <section aria-labelledby="canceled">
      <h2 id="canceled">Transactions</h2>
      <Shown loaded={loaded} what="its transactions">
        {(items, total) => (
          <>
            {items.length === 0 ? <Empty title="No transaction" /> : <Transactions items={items} />}
            <Pages page={page} perPage={perPage} total={total} />
          </>
        )}
      </Shown>
    </section>
  )
}

function Transactions({ items }: { items: readonly BulkTransactionView[] }) {
  return (
    <Table
      caption="The transactions that it canceled, by relayer"
      rows={items}
      keyOf={({ transaction }) => transaction.id}
      columns={[
        {
          title: 'Transaction',
          of: ({ transaction: { id, relayer_id: relayer } }) => <TransactionLink relayer={relayer} id={id} />,
        },
        { title: 'Verdict', isClear: true, of: (item) => <StateBadge trace={item} /> },
        { title: 'Relayer', of: ({ transaction }) => transaction.relayer_id },
        { title: 'Nonce', of: ({ transaction: { nonce } }) => (nonce === undefined ? '—' : grouped(nonce)) },
        { title: 'Safe to send again', of: ({ cancellation }) => (cancellation.safe_to_retry ? 'yes' : 'no') },
      ]}
    />
  )
}
