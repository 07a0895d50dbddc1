// The part of the store port for payloads that every node refused: an API key has a limit of them.
import type { ApiKeyId, RelayerId, TransactionId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface GiveUpChanges {
  /** `keyId`: of the API key that sent it. */
  recordGiveUp(
    relayerId: RelayerId,
    given: { readonly keyId: ApiKeyId; readonly transactionId: TransactionId },
    now: TimestampMs,
  ): Promise<void>
  /** Within the hour before `now`. */
  giveUps(relayerId: RelayerId, keyId: ApiKeyId, now: TimestampMs): Promise<number>
}
