// Randomness as a value.
import { randomFillSync } from 'node:crypto'

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
