// The preview of a bulk cancellation, and the typed confirmation that takes nothing beyond it.
import { useSignal } from '@preact/signals'
import type { BulkPreviewView } from '../../client/bulk-preview-types.ts'
import type { BulkInput } from '../../client/bulk-types.ts'
import { bulksPath } from '../state/bulk.ts'
import { grouped, plural } from '../state/format.ts'
import { Failure, request } from '../state/request.ts'
import { Ether } from './exact.tsx'
import { TypedConfirm } from './typed-confirm.tsx'

const previewPath = `${bulksPath}/preview`

/** A change of the filter, the relayers or a limit ends the preview. */
export function PreviewedConfirm({ body, make }: { body: BulkInput; make: (body: BulkInput) => Promise<void> }) {
  const { name: _name, reason: _reason, ...terms } = body
  const text = JSON.stringify(terms)
  const known = useSignal<{ text: string; preview?: BulkPreviewView; failure?: string }>({ text: '' })
  const isBusy = useSignal(false)
  const read = async () => {
    isBusy.value = true
    try {
      const { data } = await request<BulkPreviewView>(previewPath, { method: 'POST', body: terms })
      known.value = { text, preview: data }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      known.value = { text, failure: `${error.message} (${error.code})` }
    } finally {
      isBusy.value = false
    }
  }
  const { preview, failure } = known.value.text === text ? known.value : {}
  const bounded = preview && { ...body, preview: preview.token }
  return (
    <>
      <p>
        <button type="button" disabled={isBusy.value} onClick={() => void read()}>
          {preview ? 'Preview again' : 'Preview'}
        </button>
      </p>
      {failure && (
        <p class="notice bad" role="alert">
          {failure}
        </p>
      )}
      {preview && <Preview preview={preview} />}
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

function Preview({ preview: { counts, cost, parts } }: { preview: BulkPreviewView }) {
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
      <p>Nothing beyond this preview is canceled. It serves for ten minutes.</p>
    </div>
  )
}
