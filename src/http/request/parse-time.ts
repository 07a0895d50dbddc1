// Parses times by RFC 3339 §5.6, strictly: the platform's parser accepts 30 February as 2 March.
import type { TimestampMs } from '../../domain/units.ts'
import { invalid } from './validate.ts'

const shape = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Throws INVALID_REQUEST. */
export function parseTime(field: string, text: string): TimestampMs {
  const [, year, month, day, clock, fraction, zone] = shape.exec(text) ?? []
  const at = Date.parse(`${year}-${month}-${day}T${clock}${fraction?.slice(0, 4) ?? ''}${zone?.toUpperCase()}`)
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number.isNaN(at) || Number(day) > daysInMonth || clock?.startsWith('24')) {
    throw invalid(field, text, 'a time by RFC 3339, such as "2030-01-31T12:00:00Z"')
  }
  return at
}
