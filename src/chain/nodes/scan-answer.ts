// Finds the members of a JSON-RPC answer in its bytes, without parsing them: a part of it can then be passed on as it is.

interface ScannedAnswer {
  readonly result?: Buffer
  readonly error?: Buffer
}

const quote = 0x22
const backslash = 0x5c
const openers: readonly number[] = [0x7b, 0x5b]
const closers: readonly number[] = [0x7d, 0x5d]

/**
 * Undefined unless the bytes are one object with names and values. The values themselves are only checked for texts and brackets
 * that end, so that none of them reaches beyond its place in an answer that holds it.
 */
export function scanAnswer(bytes: Buffer): ScannedAnswer | undefined {
  let found: ScannedAnswer = {}
  let at = skipBlanks(bytes, 0)
  if (bytes[at] !== 0x7b) return undefined
  at = skipBlanks(bytes, at + 1)
  while (bytes[at] !== 0x7d) {
    const nameEnds = bytes[at] === quote ? endOfText(bytes, at) : undefined
    if (nameEnds === undefined) return undefined
    const name = bytes.toString('latin1', at + 1, nameEnds - 1)
    at = skipBlanks(bytes, nameEnds)
    if (bytes[at] !== 0x3a) return undefined
    at = skipBlanks(bytes, at + 1)
    const ends = endOfValue(bytes, at)
    if (ends === undefined) return undefined
    if (name === 'result' || name === 'error') found = { ...found, [name]: bytes.subarray(at, ends) }
    at = skipBlanks(bytes, ends)
    if (bytes[at] === 0x2c) at = skipBlanks(bytes, at + 1)
    else if (bytes[at] !== 0x7d) return undefined
  }
  return skipBlanks(bytes, at + 1) === bytes.length ? found : undefined
}

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1
  return at
}

/** Behind the closing quote of the text that begins at `from`; undefined if it never ends. */
function endOfText(bytes: Buffer, from: number): number | undefined {
  let at = bytes.indexOf(quote, from + 1)
  while (at >= 0 && isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1)
  return at < 0 ? undefined : at + 1
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let slashes = 0
  while (bytes[at - 1 - slashes] === backslash) slashes += 1
  return slashes % 2 === 1
}

function endOfValue(bytes: Buffer, from: number): number | undefined {
  const first = bytes[from] ?? 0
  if (first === quote) return endOfText(bytes, from)
  return openers.includes(first) ? endOfNested(bytes, from) : endOfPlain(bytes, from)
}

function endOfNested(bytes: Buffer, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      const ends = endOfText(bytes, at)
      if (ends === undefined) return undefined
      at = ends - 1
    } else if (openers.includes(byte)) depth += 1
    else if (closers.includes(byte)) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

const plainBytes = new Set(Buffer.from('+-.0123456789abcdefghijklmnopqrstuvwxyzE'))

/** A number, true, false or null. */
function endOfPlain(bytes: Buffer, from: number): number | undefined {
  let at = from
  while (plainBytes.has(bytes[at] ?? 0)) at += 1
  return at === from ? undefined : at
}
