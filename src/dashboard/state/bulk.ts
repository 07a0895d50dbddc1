// Bulk cancellations: making one, at most once however often the button is pressed, their previews, and their filters in words.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { RelayerView } from '../../client/account-types.ts'
import type { BulkHeadView, BulkInput, BulkPreviewView, BulkView } from '../../client/bulk-types.ts'
import { freshKey } from './fresh-key.ts'
import { useLoad } from './load.ts'
import { networkOf } from './networks.ts'
import { Failure, pathOf, request } from './request.ts'
import { go } from './route.ts'
import { may } from './session.ts'

export const bulksPath = '/v1/bulk-cancellations'

/** `admin` pauses as well. */
export function mayStop(): boolean {
  return may('cancel') && (may('pause') || may('admin'))
}

/** Sends the body, and goes to the page of the new one. The same body keeps its key, so a second try makes no second one. */
export function useMakeBulk(): (body: BulkInput) => Promise<void> {
  const last = useRef({ text: '', key: '' })
  return async (body) => {
    const text = JSON.stringify(body)
    if (last.current.text !== text) last.current = { text, key: freshKey() }
    const idempotencyKey = last.current.key
    const { data } = await request<BulkView>(bulksPath, { method: 'POST', body, idempotencyKey })
    go(pathOf`/bulk-cancellations/${data.id}`)
  }
}

export function canceledBy({ dropped, racing, won, lost, external }: BulkHeadView['counts']): number {
  return dropped + racing + won + lost + external
}

/** The symbol of the relayers' networks; undefined where they have several, whose amounts have no sum. */
export function useSymbols(): (relayers: readonly string[]) => string | undefined {
  const { answer } = useLoad<readonly RelayerView[]>('/v1/relayers?per_page=1000', false)
  return (relayers) => {
    const ids = new Set(relayers)
    const its = answer?.data.filter(({ id }) => ids.has(id)) ?? []
    const symbols = new Set(its.map(({ network }) => networkOf(network).symbol))
    return symbols.size > 1 ? undefined : ([...symbols][0] ?? networkOf(undefined).symbol)
  }
}

/** The request with the bounds of its preview: later sends are no match, and more than it showed are refused. */
export function boundBy({ instant, counts }: BulkPreviewView, body: BulkInput): BulkInput {
  return { ...body, filter: { ...body.filter, created_to: instant }, at_most: counts.matches }
}

/** The preview of a bulk cancellation: read when a view says so, and gone once its terms change. */
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
