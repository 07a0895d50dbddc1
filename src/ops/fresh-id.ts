// Ids of rows: UUID version 7 (RFC 9562), so that rows created together lie together in an index.
import { v7 as uuidv7 } from 'uuid'
import type { TransactionId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Random } from './random.ts'

/** A transaction's id by default. */
export function freshId<Id extends string = TransactionId>(random: Random, now: TimestampMs): Id {
  return uuidv7({ msecs: now, random: random.bytes(16) }) as string as Id
}
