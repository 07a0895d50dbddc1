// The preview of a bulk cancellation, and the typed confirmation of no more than it showed.
import type { ComponentChildren } from 'preact'
import type { BulkInput, BulkPreviewView } from '../../client/bulk-types.ts'
import { boundBy, bulksPath, type Previewing, usePreview } from '../state/bulk.ts'
import { grouped, plural } from '../state/format.ts'
import { Ether } from './exact.tsx'
import { TransactionLink } from './pieces.tsx'
import { TypedConfirm } from './typed-confirm.tsx'

/** A change of the filter, the relayers or a limit ends the preview. */
export function PreviewedConfirm({ body, make }: { body: BulkInput; make: (body: BulkInput) => Promise<void> }) {
  const previewing = usePreview(body)
  const { preview } = previewing
  const bounded = preview && boundBy(preview, body)
  return (
    <>
      <Previewed previewing={previewing}>{boundWords}</Previewed>
      {bounded && (
        <TypedConfirm
          word="cancel"
          act="Cancel what matches"
          path={bulksPath}
          body={bounded}
          run={() => make(bounded)}
        />
      )}
    </>
  )
}

/** Where `boundBy` binds the request. */
export const boundWords = 'Later sends are not canceled. If more would be canceled by then, nothing is.'

/** The button that reads it, and what it showed. `children`: what the preview binds. */
export function Previewed({
  previewing: { preview, failure, isBusy, read },
  children,
}: {
  previewing: Previewing
  children: ComponentChildren
}) {
  return (
    <>
      {preview && <Preview preview={preview}>{children}</Preview>}
      {failure !== undefined && (
        <p class="notice bad" role="alert">
          {failure}
        </p>
      )}
      <p>
        <button type="button" disabled={isBusy} onClick={() => void read()}>
          {isBusy ? 'Reading…' : preview ? 'Preview again' : 'Preview'}
        </button>
      </p>
    </>
  )
}

function Preview({
  preview: { counts, cost, parts, sample },
  children,
}: {
  preview: BulkPreviewView
  children: ComponentChildren
}) {
  const symbol = parts[0]?.symbol ?? 'ETH'
  return (
    <div role="status">
      <p class="lead">
        {plural(counts.matches, 'transaction')}: {grouped(counts.free)} free, and {plural(counts.no_ops, 'no-op')}.
      </p>
      <p>
        {cost ? (
          <>
            Cost: up to <Ether wei={cost.now} symbol={symbol} /> now, <Ether wei={cost.max} symbol={symbol} /> at most.
          </>
        ) : (
          'Cost: unknown. A price was not observed yet, or the relayers pay in different currencies.'
        )}
      </p>
      {counts.already > 0 && <p>{grouped(counts.already)} more were canceled before, and race already.</p>}
      {counts.left > 0 && <p>{grouped(counts.left)} more cost too much, and stay unchanged.</p>}
      {sample.length > 0 && <Sample sample={sample} parts={parts} isWhole={sample.length >= counts.matches} />}
      <p>{children}</p>
    </div>
  )
}

function Sample({ sample, parts, isWhole }: Pick<BulkPreviewView, 'sample' | 'parts'> & { isWhole: boolean }) {
  const symbolOf = new Map(parts.map(({ relayer_id: relayer, symbol }) => [relayer, symbol]))
  return (
    <details>
      <summary>{isWhole ? 'The transactions' : `${sample.length} of them`}</summary>
      <ul>
        {sample.map(({ relayer_id: relayer, transaction_id: id, nonce, by, cost }) => (
          <li key={id}>
            <TransactionLink relayer={relayer} id={id} /> of {relayer}
            {nonce !== undefined && `, nonce ${nonce}`}: {by === undefined ? 'free' : byWords[by]}
            {cost !== undefined && (
              <>
                , up to <Ether wei={cost} symbol={symbolOf.get(relayer) ?? 'ETH'} />
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

const byWords = { no_op: 'by a no-op', gap_filler: 'by a gap filler' } as const
