// The audit log, newest first: changes, refusals, and the keys that made them.
import { useSignal } from '@preact/signals'
import type { AuditView } from '../../client/record-types.ts'
import type { Tone } from '../../words/verdict.ts'
import { Time } from '../parts/exact.tsx'
import { assign, Badge, Copy, Empty, Heading, Shown } from '../parts/pieces.tsx'
import { Table } from '../parts/table.tsx'
import { grouped, plural, shortened } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { pathOf } from '../state/request.ts'

const perPage = 50

const tones: Readonly<Record<AuditView['outcome'], Tone>> = { allowed: 'good', refused: 'warn', failed: 'bad' }

export function AuditLog() {
  /** The id of the last record of each page before this one. */
  const before = useSignal<readonly string[]>([])
  const last = before.value.at(-1)
  const query = last === undefined ? '' : `&before=${last}`
  // An older page does not change.
  const loaded = useLoad<readonly AuditView[]>(`/v1/audit-log?per_page=${perPage}${query}`, last === undefined)
  return (
    <>
      <Heading>Audit log</Heading>
      <Shown loaded={loaded} what="the audit log">
        {(entries, total) => {
          const end = entries.length === perPage ? entries.at(-1)?.id : undefined
          return (
            <>
              <p class="reason">{plural(total, 'record')}, newest first.</p>
              {entries.length === 0 ? <Empty title="Nothing recorded yet" /> : <Records entries={entries} />}
              <nav class="pages" aria-label="Pages">
                <button
                  type="button"
                  disabled={last === undefined}
                  onClick={() => assign(before, before.value.slice(0, -1))}
                >
                  ← Newer
                </button>
                <button
                  type="button"
                  disabled={end === undefined}
                  onClick={() => {
                    if (end !== undefined) before.value = [...before.value, end]
                  }}
                >
                  Older →
                </button>
              </nav>
            </>
          )
        }}
      </Shown>
    </>
  )
}

function Records({ entries }: { entries: readonly AuditView[] }) {
  return (
    <Table
      caption="Audit records, newest first"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Time', of: ({ at }) => <Time at={at} /> },
        {
          title: 'Outcome',
          isClear: true,
          of: ({ outcome, code, count = 1 }) => (
            <>
              <Badge tone={tones[outcome]}>{code ?? outcome}</Badge>
              {count > 1 && <small>{grouped(count)} times</small>}
            </>
          ),
        },
        { title: 'Operation', of: ({ operation }) => operation ?? '—' },
        { title: 'Key', isExtra: true, of: ({ key_id: key }) => (key === undefined ? 'none' : shortened(key)) },
        { title: 'On', of: (entry) => <Subject of={entry} /> },
        { title: 'Address', isExtra: true, of: ({ address }) => address ?? '—' },
        {
          title: 'Request',
          isExtra: true,
          of: ({ request_id: id }) => (id === undefined ? '—' : <Copy text={id} label="request id" />),
        },
      ]}
    />
  )
}

function Subject({ of }: { of: AuditView }) {
  const { relayer_id: relayer, transaction_id: transaction, subject_id: subject } = of
  if (relayer !== undefined && transaction !== undefined) {
    return (
      <a href={pathOf`/relayers/${relayer}/transactions/${transaction}`}>
        <span class="extra">{relayer} / </span>
        {shortened(transaction)}
      </a>
    )
  }
  if (relayer !== undefined) return <a href={pathOf`/relayers/${relayer}`}>{relayer}</a>
  return <>{subject === undefined ? '—' : shortened(subject)}</>
}
