// Whom a relayer's sends may go to, and what they may call there.

import * as EthereumAddress from 'ox/Address'
import { lowerHex } from '../domain/ids.ts'
import type { AllowedCalls } from '../domain/policy-table.ts'
import { type Members, shown } from './members.ts'
import type { Report } from './report.ts'

type HexText = `0x${string}`

export function parseReceivers(name: string, emptyMeans: string, members: Members, report: Report): readonly HexText[] {
  const items = members.items(name)
  // A template whose variable is lost leaves such a list: it must not be the widest.
  if (items.length === 0) report.warn(members.place(name), `is empty, so ${emptyMeans}`)
  return items.flatMap(({ value, place }) => parseAddress(value, place, report) ?? [])
}

export function parseSelectors(
  name: string,
  emptyMeans: string,
  members: Members,
  report: Report,
): readonly AllowedCalls[] {
  const place = members.place(name)
  const raw = members.raw(name)
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    report.problem(place, 'maps a receiver to what may be called of it; write { "0x…": ["0xa9059cbb"] }')
    return []
  }
  if (Object.keys(raw).length === 0) {
    report.problem(
      place,
      `is {}, so that ${emptyMeans}; name a receiver, as in { "0x…": ["0xa9059cbb"] }, or remove it`,
    )
  }
  const known = new Set<HexText>()
  return Object.entries(raw).flatMap(([address, listed]) => {
    const receiver = parseAddress(address, place, report)
    if (receiver && known.has(receiver)) report.problem(place, `names ${receiver} twice; write it once`)
    if (receiver) known.add(receiver)
    const selectors: readonly unknown[] = Array.isArray(listed) ? listed : [listed]
    const bad = selectors.find((selector) => !isSelector(selector))
    if (bad !== undefined || !Array.isArray(listed)) {
      const wanted = 'a list of selectors: 0x and 8 hex digits each, or "0x" for a plain transfer'
      report.problem(`${place}.${address}`, `has ${shown(bad)}; write ${wanted}`)
    }
    return receiver ? [{ receiver, selectors: selectors.filter(isSelector).map(lowerHex) }] : []
  })
}

/** The address with its checksum; undefined after a problem. */
export function parseAddress(value: unknown, place: string, report: Report): HexText | undefined {
  const checksummed = isAddress(value) ? EthereumAddress.checksum(value) : undefined
  const digits = isAddress(value) ? value.slice(2) : ''
  // Mixed case is a checksum (EIP-55), so a wrong one is a typo.
  const inOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (checksummed !== undefined && (inOneCase || checksummed === value)) return checksummed
  report.problem(
    place,
    `names ${shown(value)}; write an address, 0x and 40 hex digits, in one case or with its EIP-55 checksum`,
  )
  return undefined
}

function isAddress(value: unknown): value is HexText {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
}

function isSelector(value: unknown): value is HexText {
  return typeof value === 'string' && /^0x([0-9a-fA-F]{8})?$/.test(value)
}
