// Prefer: wait=N (RFC 7240 §4.3). A preference that can't be read is ignored, as the RFC wants.
import { waitSecondsMax } from '../limits.ts'

/** The seconds to wait, at most 60; undefined when none were asked for. */
export function waitSeconds(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined
  const text = typeof header === 'string' ? header : header.join(',')
  const found = /(?:^|,)\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:[,;]|$)/i.exec(text)
  return found ? Math.min(Number(found[1] ?? found[2]), waitSecondsMax) : undefined
}
