// Presents times: RFC 3339, UTC, milliseconds.
import type { TimestampMs } from '../../domain/units.ts'

// Responses repeat times of the same few seconds, and formatting one is slow.
let second = Number.NaN
let textOfSecond = ''

export function presentTime(at: TimestampMs): string {
  const begun = Math.floor(at / 1_000) * 1_000
  if (begun !== second) {
    textOfSecond = new Date(begun).toISOString().slice(0, -'000Z'.length)
    second = begun
  }
  return `${textOfSecond}${String(at - begun).padStart(3, '0')}Z`
}
