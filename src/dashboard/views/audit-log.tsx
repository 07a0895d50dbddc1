// The audit log, newest first: changes, refusals, and the keys that made them.
import { useSignal } from '@preact/signals'
import type { AuditView } from '../../client/record-types.ts'
import type { Tone } from '../../words/verdict.ts'
import { Time } from '../parts/exact.tsx'
import { Badge, Copy, Empty, Heading, Shown } from '../parts/pieces.tsx'
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
              {entries.length === 0 ? <Empty title="Nothing recorded yet" /> : <Table entries={entries} />}
              <nav class="pages" aria-label="Pages">
                <button
                  type="button"
                  disabled={last === undefined}
                  onClick={() => {
                    before.value = before.value.slice(0, -1)
                  }}
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

function Table({ entries }: { entries: readonly AuditView[] }) {
  return (
    <div class="scroll">
      <table class="list cards">
        <caption class="unseen">Audit records, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Outcome</th>
            <th scope="col">Operation</th>
            <th scope="col">Key</th>
            <th scope="col">On</th>
            <th scope="col">Address</th>
            <th scope="col">Request</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <th scope="row">
                <Time at={entry.at} />
              </th>
              <td>
                <Badge tone={tones[entry.outcome]}>{entry.code ?? entry.outcome}</Badge>
                {entry.count !== undefined && entry.count > 1 && <small>{grouped(entry.count)} times</small>}
              </td>
              <td data-label="Operation">{entry.operation ?? '—'}</td>
              <td data-label="Key">{entry.key_id === undefined ? 'none' : shortened(entry.key_id)}</td>
              <td data-label="On">
                <Subject of={entry} />
              </td>
              <td data-label="Address">{entry.address ?? '—'}</td>
              <td data-label="Request">
                {entry.request_id === undefined ? '—' : <Copy text={entry.request_id} label="request id" />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Subject({ of }: { of: AuditView }) {
  const { relayer_id: relayer, transaction_id: transaction, subject_id: subject } = of
  if (relayer !== undefined && transaction !== undefined) {
    return (
      <a href={pathOf`/relayers/${relayer}/transactions/${transaction}`}>
        {relayer} / {shortened(transaction)}
      </a>
    )
  }
  if (relayer !== undefined) return <a href={pathOf`/relayers/${relayer}`}>{relayer}</a>
  return <>{subject === undefined ? '—' : shortened(subject)}</>
}
