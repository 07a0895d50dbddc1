// Times on the wire: RFC 3339, UTC, milliseconds.
import type { TimestampMs } from '../domain/units.ts'

export function presentTime(at: TimestampMs): string {
  return new Date(at).toISOString()
}
