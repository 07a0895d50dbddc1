// Hashes with keccak-256 in WebAssembly: every attempt needs two hashes, and viem's JavaScript takes eight times as long for each.
import { createKeccak } from 'hash-wasm'
import type { Hash, Hex } from '../domain/ids.ts'

const hasher = await createKeccak(256)

export function keccak256(bytes: Hex): Hash {
  return `0x${hasher
    .init()
    .update(Buffer.from(bytes.slice(2), 'hex'))
    .digest()}`
}
