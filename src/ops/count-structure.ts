// Counts the structure of a JSON text in its bytes, before anything parses it: parsing and validation cost time by structure,
// not by bytes.
interface StructureLimits {
  /** Nested arrays and objects. */
  readonly depthMax: number
  /** Opening brackets and commas. */
  readonly partsMax: number
  /** Elements of an outermost list; absent: any. */
  readonly membersMax?: number
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The first limit that the text exceeds. The text need not be JSON: a parser refuses it afterwards. */
export function excessOfStructure(
  bytes: Uint8Array,
  { depthMax, partsMax, membersMax = Number.POSITIVE_INFINITY }: StructureLimits,
): 'depth' | 'parts' | 'members' | undefined {
  let [depth, parts, members] = [0, 0, 1]
  let isList: boolean | undefined
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at)
    else if (byte === openList || byte === openObject) {
      isList ??= byte === openList
      depth += 1
      parts += 1
      if (depth > depthMax) return 'depth'
    } else if (byte === closeList || byte === closeObject) depth -= 1
    else if (byte === comma) {
      parts += 1
      if (isList && depth === 1) members += 1
      if (members > membersMax) return 'members'
    }
    if (parts > partsMax) return 'parts'
  }
  return undefined
}

/** The closing quote of the text that begins at `from`, or the end. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(quote, from + 1)
  while (at >= 0 && isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1)
  return at < 0 ? bytes.length : at
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let slashes = 0
  while (bytes[at - 1 - slashes] === backslash) slashes += 1
  return slashes % 2 === 1
}
