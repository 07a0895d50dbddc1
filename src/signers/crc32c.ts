// CRC-32C (Castagnoli), which Google Cloud KMS uses to find bytes that changed on the way.
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1
  return rest
})

/** 0 to 2^32 - 1. */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of bytes) rest = (rest >>> 8) ^ (table[(rest ^ byte) & 255] ?? 0)
  return (rest ^ 0xffffffff) >>> 0
}
