// Randomness as a value, and the ids of rows.
import { randomFillSync } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { TransactionId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface Random {
  bytes(length: number): Uint8Array
}

/** Read from the system in blocks of 4 KiB: one system call serves many ids. */
export function systemRandom(): Random {
  const pool = new Uint8Array(4096)
  let used = pool.length
  return {
    bytes(length) {
      if (used + length > pool.length) {
        randomFillSync(pool)
        used = 0
      }
      used += length
      return pool.slice(used - length, used)
    },
  }
}

/** UUID version 7 (RFC 9562), so that rows created together lie together in an index; a transaction's id by default. */
export function freshId<Id extends string = TransactionId>(random: Random, now: TimestampMs): Id {
  return uuidv7({ msecs: now, random: random.bytes(16) }) as string as Id
}
