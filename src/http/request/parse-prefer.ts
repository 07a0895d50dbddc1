// Parses Prefer: wait=N (RFC 7240 §4.3). An unreadable preference is ignored, as the RFC requires.
import { Type } from 'typebox'
import { waitSecondsMax } from '../limits.ts'

export const preferHeaders = Type.Object({
  prefer: Type.Optional(
    Type.String({ description: 'wait=N, to wait for the final verdict; any other preference is ignored' }),
  ),
})

/** The seconds to wait, at most 60; undefined without the preference. */
export function waitSeconds(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined
  const text = typeof header === 'string' ? header : header.join(',')
  const found = /(?:^|,)\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:[,;]|$)/i.exec(text)
  return found ? Math.min(Number(found[1] ?? found[2]), waitSecondsMax) : undefined
}
