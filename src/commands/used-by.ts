// Names the relayers that keep an entity from being changed or deleted.
import type { RelayerId } from '../domain/ids.ts'

export function usedBy(kind: 'signer' | 'notification', id: string, relayers: readonly RelayerId[]): string {
  return `${kind} "${id}" is used by ${relayers.map((relayer) => `relayer "${relayer}"`).join(', ')}`
}
