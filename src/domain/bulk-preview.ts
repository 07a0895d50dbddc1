// The preview of a bulk cancellation. With its token, an object takes no transaction, no no-op and no cost beyond the preview.
import { RescindError } from './errors.ts'
import type { ApiKeyId, RelayerId } from './ids.ts'
import { countLacking, type SequenceRuns } from './sequence-runs.ts'
import { maxWei, type TimestampMs, type Wei } from './units.ts'

/** How long a token can be used. */
export const previewKeptMs = 600_000

/** The bound of an object at one relayer. */
export interface ShownBound {
  /** The count of no-ops, gap fillers included. */
  readonly noOps: number
  /** Absent: the preview had no price, and the token bounds no cost. */
  readonly costMax?: Wei
}

/** The part of one relayer in a preview. */
export interface ShownPart extends ShownBound {
  readonly relayerId: RelayerId
  /** The sequences of transactions that would be canceled, and of the races that `max_cost` would bound anew. */
  readonly sequences: SequenceRuns
  /** How many would be canceled. */
  readonly matches: number
  /** The cost at the last observed price. Absent without one. */
  readonly cost?: Wei
}

/** A preview that was requested, by the digest of its token. */
export interface BulkPreview {
  readonly id: string
  readonly keyId: ApiKeyId
  /** The digest of the relayers and the terms. */
  readonly digest: string
  readonly expiresAt: TimestampMs
  readonly parts: readonly ShownPart[]
}

/** How a preview made now would differ. */
export interface PreviewDifference {
  /** Shown ones that would not be canceled any more. */
  readonly ended: number
  /** Ones that would be canceled now, and were not shown. */
  readonly added: number
  /** How many no-ops more or fewer. */
  readonly noOps: number
  /** How much the cost at the present price exceeds the shown `costMax`. */
  readonly costBeyond: Wei
}

/**
 * Undefined without a difference. A change of price within the shown cost is none. Relayers that had, and have, nothing to cancel
 * do not differ.
 */
export function differenceOf(shown: readonly ShownPart[], now: readonly ShownPart[]): PreviewDifference | undefined {
  let difference: PreviewDifference = { ended: 0, added: 0, noOps: 0, costBeyond: 0n }
  let differs = false
  for (const relayerId of new Set([...shown, ...now].map((part) => part.relayerId))) {
    const of = (parts: readonly ShownPart[]) => parts.find((part) => part.relayerId === relayerId)
    const each = differenceAt(of(shown), of(now))
    differs ||= each.ended > 0 || each.added > 0 || each.noOps !== 0 || each.costBeyond > 0n
    difference = {
      ended: difference.ended + each.ended,
      added: difference.added + each.added,
      noOps: difference.noOps + each.noOps,
      costBeyond: difference.costBeyond + each.costBeyond,
    }
  }
  return differs ? difference : undefined
}

function differenceAt(shown: ShownPart | undefined, now: ShownPart | undefined): PreviewDifference {
  const [before, after] = [shown?.sequences ?? [], now?.sequences ?? []]
  const isPriced = shown?.costMax !== undefined && now?.cost !== undefined
  return {
    ended: countLacking(before, after),
    added: countLacking(after, before),
    noOps: (now?.noOps ?? 0) - (shown?.noOps ?? 0),
    costBeyond: isPriced ? maxWei(0n, now.cost - shown.costMax) : 0n,
  }
}

/** The request demanded that nothing differs from its preview. */
export class PreviewDiffers extends RescindError {
  readonly difference: PreviewDifference

  constructor(difference: PreviewDifference) {
    const { ended, added, noOps, costBeyond } = difference
    const facts = [
      ...(ended > 0 ? [`${ended} of the transactions shown would not be canceled any more`] : []),
      ...(added > 0 ? [`${added} would be canceled that were not shown`] : []),
      ...(noOps === 0 ? [] : [`it needs ${Math.abs(noOps)} ${noOps > 0 ? 'more' : 'fewer'} no-ops`]),
      ...(costBeyond > 0n ? [`it costs up to ${costBeyond} wei more than shown`] : []),
    ]
    const what = facts.length > 0 ? facts.join('; ') : 'the no-ops are at other relayers'
    super('PREVIEW_DIFFERS', `exact: ${what}; nothing was changed: request a new preview, or leave out exact`)
    this.difference = difference
  }
}

/** A token that is unknown, expired, used, or of another key. The answer does not say which. */
export function previewNotFound(): RescindError {
  return new RescindError(
    'PREVIEW_NOT_FOUND',
    'preview: there is no such preview of this key: each serves one bulk cancellation, for ten minutes; request a new one (POST /api/v1/bulk-cancellations/preview)',
  )
}

export function previewOfAnother(): RescindError {
  return new RescindError(
    'PREVIEW_OF_ANOTHER',
    'preview: is of another filter, relayers, pause, only or max_cost; send these as in the preview, or request a new preview',
  )
}
