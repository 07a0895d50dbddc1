// Counts the structure of a JSON text in its bytes, before anything parses it: parsing and validation cost time by structure, not
// by bytes.

export interface StructureLimits {
  /** Nested arrays and objects. */
  readonly depthMax: number
  /** Opening brackets and commas. */
  readonly partsMax: number
}

const quote = 0x22
const backslash = 0x5c

/** The first limit that the text exceeds. The text need not be JSON: a parser refuses it afterwards. */
export function excessOfStructure(
  bytes: Buffer,
  { depthMax, partsMax }: StructureLimits,
): 'depth' | 'parts' | undefined {
  let depth = 0
  let parts = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at)
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      parts += 1
      if (depth > depthMax) return 'depth'
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1
    else if (byte === 0x2c) parts += 1
    if (parts > partsMax) return 'parts'
  }
  return undefined
}

/** The closing quote of the text that begins at `from`, or the end. */
function endOfText(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(quote, from + 1)
  while (at >= 0 && isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1)
  return at < 0 ? bytes.length : at
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let slashes = 0
  while (bytes[at - 1 - slashes] === backslash) slashes += 1
  return slashes % 2 === 1
}
