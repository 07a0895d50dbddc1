// A client's names for a transaction: in the body of a send, in the query of a list, and as they are shown.
import { type Static, Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { isNonEmpty, type TransactionId } from '../../domain/ids.ts'
import { type Labels, labelBytesMax, tagsMax } from '../../domain/labels.ts'
import type { Reads } from '../../store/store.ts'
import { shownValue } from '../request/validate.ts'
import { metadataWith } from '../response/envelope.ts'
import { some } from '../response/forms.ts'
import { labelsSchema, presentLabels } from '../response/present-values.ts'

const { externalId: externalIdBytes, tag: tagBytes, note: noteBytes } = labelBytesMax

/** `parseLabel` enforces the format: no keyword counts bytes. */
const label = (bytes: number, example: string) =>
  Type.String({
    format: `text-of-${bytes}-bytes`,
    description: `a text of 1 to ${bytes} bytes in UTF-8, without control characters`,
    examples: [example],
  })

/** A tag of a transaction. */
export const tagSchema = label(tagBytes, 'payroll')

/** Members of the body of a send. */
export const labelProperties = {
  external_id: Type.Optional(label(externalIdBytes, 'invoice-2044')),
  tags: Type.Optional(
    Type.Array(tagSchema, {
      maxItems: tagsMax,
      uniqueItems: true,
      description: `a list of at most ${tagsMax} different texts, each of 1 to ${tagBytes} bytes in UTF-8, without control characters`,
      examples: [['payroll', 'march']],
    }),
  ),
  note: Type.Optional(label(noteBytes, 'approved by the treasury')),
}

/** Query parameters that narrow a list by labels. */
export const labelFilters = { external_id: labelProperties.external_id, tag: Type.Optional(tagSchema) }

const bodySchema = Type.Object(labelProperties)

/** The labels; undefined where the client sends none. Throws INVALID_REQUEST, naming field, value and fix. */
export function parseLabels({
  external_id: externalId,
  tags = [],
  note,
}: Static<typeof bodySchema>): Labels | undefined {
  const parsed = tags.map((tag, index) => parseTag(`tags[${index}]`, tag))
  if (externalId === undefined && note === undefined && parsed.length === 0) return undefined
  return {
    ...(externalId !== undefined && { externalId: parseLabel('external_id', externalId, externalIdBytes) }),
    ...(isNonEmpty(parsed) && { tags: parsed }),
    ...(note !== undefined && { note: parseLabel('note', note, noteBytes) }),
  }
}

export function parseLabelFilters({ external_id: externalId, tag }: { external_id?: string; tag?: string }): {
  externalId?: string
  tag?: string
} {
  return {
    ...(externalId !== undefined && { externalId: parseLabel('external_id', externalId, externalIdBytes) }),
    ...(tag !== undefined && { tag: parseTag('tag', tag) }),
  }
}

/** Throws INVALID_REQUEST. */
export function parseTag(field: string, text: string): string {
  return parseLabel(field, text, tagBytes)
}

/** Parses a label. Half a pair of surrogates has no form in UTF-8, so no database could give it back. */
function parseLabel(field: string, text: string, bytesMax: number): string {
  const refuse = (fault: string) => new RescindError('INVALID_REQUEST', `${field}: ${shownValue(text)} ${fault}`)
  if (text === '') throw refuse('is empty; send a text, or leave it out')
  if (!text.isWellFormed()) throw refuse('holds half a surrogate pair; send whole characters')
  if (/\p{Cc}/u.test(text)) throw refuse('holds a control character; send it without')
  const bytes = Buffer.byteLength(text)
  if (bytes > bytesMax) throw refuse(`has ${bytes} bytes in UTF-8, and may have ${bytesMax}; send a shorter one`)
  return text
}

/** The `include` of a query. */
export const include = Type.Optional(
  Type.Enum(['labels'], { description: 'labels: metadata.labels holds the names of the transactions in data' }),
)

export const labeledMetadata = metadataWith(
  {
    labels: Type.Optional(
      Type.Record(Type.String(), labelsSchema, {
        description: 'With include=labels: by the id of its transaction, for each that has any',
        examples: [{ [some.transactionId]: { external_id: 'invoice-2044', tags: ['payroll'] } }],
      }),
    ),
  },
  'LabeledMetadata',
)

/** The labels for `metadata`. Nothing is read unless the query includes them. */
export async function includedLabels(
  reads: Pick<Reads, 'labels'>,
  query: { readonly include?: 'labels' },
  ids: readonly TransactionId[],
): Promise<{ labels?: Record<string, Static<typeof labelsSchema>> }> {
  if (query.include === undefined) return {}
  const labels = await reads.labels(ids)
  return { labels: Object.fromEntries([...labels].map(([id, each]) => [id, presentLabels(each)])) }
}

export const idsOf = (items: readonly { readonly id: TransactionId }[]) => items.map(({ id }) => id)
