// Presents a client's names for a transaction.
import { type Static, Type } from 'typebox'
import type { Labels } from '../../domain/labels.ts'
import { such } from './forms.ts'

export const labelsSchema = Type.Object(
  {
    external_id: Type.Optional(such('invoice-2044')),
    tags: Type.Optional(Type.Array(such('payroll'))),
    note: Type.Optional(such('approved by the treasury')),
  },
  { title: 'Labels', additionalProperties: false },
)

export function presentLabels({ externalId, tags, note }: Labels): Static<typeof labelsSchema> {
  return {
    ...(externalId !== undefined && { external_id: externalId }),
    ...(tags && { tags: [...tags] }),
    ...(note !== undefined && { note }),
  }
}
