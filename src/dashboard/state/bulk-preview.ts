// The preview of a bulk cancellation: read when a view says so, and gone once its terms change.
import { useSignal } from '@preact/signals'
import type { BulkPreviewView } from '../../client/bulk-preview-types.ts'
import type { BulkInput } from '../../client/bulk-types.ts'
import { bulksPath } from './bulk.ts'
import { Failure, request } from './request.ts'

export interface Previewing {
  readonly preview?: BulkPreviewView
  /** Why the last reading failed. */
  readonly failure?: string
  readonly isBusy: boolean
  read(): Promise<void>
}

/** A name and a reason are no terms. */
export function usePreview({ name: _name, reason: _reason, ...terms }: BulkInput): Previewing {
  const text = JSON.stringify(terms)
  const known = useSignal<{ text: string; preview?: BulkPreviewView; failure?: string }>({ text: '' })
  const isBusy = useSignal(false)
  const { preview, failure } = known.value.text === text ? known.value : {}
  return {
    ...(preview && { preview }),
    ...(failure !== undefined && { failure }),
    isBusy: isBusy.value,
    async read() {
      isBusy.value = true
      try {
        const { data } = await request<BulkPreviewView>(`${bulksPath}/preview`, { method: 'POST', body: terms })
        known.value = { text, preview: data }
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        known.value = { text, failure: `${error.message} (${error.code})` }
      } finally {
        isBusy.value = false
      }
    },
  }
}
