// The digest of a request, by which its idempotency key is compared.
import { hash } from 'node:crypto'
import type { RelayerId } from '../domain/ids.ts'

/**
 * Digests the meaning of a request, not its spelling: the order of members, and absent ones, make no difference. It is
 * kept for ever, so its form must not change.
 */
export function digestOf(relayers: RelayerId | readonly RelayerId[] | 'all', request: unknown): string {
  return hash('sha256', JSON.stringify([relayers, canonical(request)]))
}

function canonical(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, member]) => [name, canonical(member)]))
}
