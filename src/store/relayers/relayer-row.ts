// Converts relayers to rows and back.
import type { Selectable } from 'kysely'
import { type Policies, policiesBy } from '../../domain/policy-table.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { RelayerTable } from '../schema.ts'

export type RelayerRow = Selectable<RelayerTable>
export type RelayerFacts = Omit<
  RelayerRow,
  'network_paused' | 'epoch' | 'last_sequence' | 'spent_below' | 'explained_below' | 'unchecked_through' | 'gave_up_at'
>

export function relayerFromRow(row: RelayerRow): Relayer {
  return {
    id: row.id,
    name: row.name,
    network: row.network,
    chainId: row.chain_id,
    address: row.address,
    signerId: row.signer_id,
    ...(row.notification_id !== null && { notificationId: row.notification_id }),
    paused: row.paused === 1,
    ...(row.network_paused === 1 && { networkPaused: true }),
    policies: policiesFromJson(row.policies),
  }
}

export function relayerToRow(relayer: Relayer): RelayerFacts {
  return {
    id: relayer.id,
    name: relayer.name,
    network: relayer.network,
    chain_id: relayer.chainId,
    address: relayer.address,
    signer_id: relayer.signerId,
    notification_id: relayer.notificationId ?? null,
    paused: relayer.paused ? 1 : 0,
    policies: JSON.stringify(relayer.policies, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  }
}

/** Every send reads the policies, and only people change them, so each text is parsed once. */
const parsed = new Map<string, Policies>()
const parsedMax = 1_000

function policiesFromJson(json: string): Policies {
  const known = parsed.get(json)
  if (known) return known
  if (parsed.size >= parsedMax) parsed.clear()
  const policies = parsePolicies(json)
  parsed.set(json, policies)
  return policies
}

function parsePolicies(json: string): Policies {
  const stored = JSON.parse(json)
  return policiesBy(({ kind }, key) => {
    const value = stored[key]
    return kind === 'wei' && value !== undefined ? BigInt(value) : value
  })
}
