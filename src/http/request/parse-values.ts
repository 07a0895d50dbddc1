// Parses values that several operations take: addresses, times, and the header Prefer.
import * as EthereumAddress from 'ox/Address'
import { Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import type { Address } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { waitSecondsMax } from '../limits.ts'
import { optionalString } from '../response/forms.ts'
import { forms } from './stated.ts'
import { invalid } from './validate.ts'

/** `parseAddress` checks the checksum. */
export const addressSchema = (description: string) =>
  Type.Unsafe<Address>(Type.String({ ...forms.address, description }))

/** Mixed case is a checksum (EIP-55) and must be right: a typo would lose the money. Throws INVALID_REQUEST. */
export function parseAddress(field: string, text: Address): Address {
  const checksummed = EthereumAddress.checksum(text)
  const digits = text.slice(2)
  if (text !== checksummed && digits !== digits.toLowerCase() && digits !== digits.toUpperCase()) {
    const wanted = 'right by its EIP-55 checksum; check it for a typo, or send it in lower case'
    throw new RescindError('INVALID_REQUEST', `${field}: "${text}" is not ${wanted}`)
  }
  return checksummed
}

// Parses times by RFC 3339 §5.6, strictly: the platform's parser accepts 30 February as 2 March.
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

// Parses Prefer: wait=N (RFC 7240 §4.3). An unreadable preference is ignored, as the RFC requires.
export const preferHeaders = Type.Object({
  prefer: optionalString({ description: 'wait=N, to wait for the final verdict; any other preference is ignored' }),
})

/** The seconds to wait, at most 60; undefined without the preference. */
export function waitSeconds(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined
  const text = typeof header === 'string' ? header : header.join(',')
  const found = /(?:^|,)\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:[,;]|$)/i.exec(text)
  return found ? Math.min(Number(found[1] ?? found[2]), waitSecondsMax) : undefined
}
