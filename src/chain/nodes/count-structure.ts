// Counts the structure of a JSON text before it is parsed: a parser makes an object of every three bytes "{},".
import { answerLimits } from './expected-answer.ts'

interface Structure {
  /** Elements of the outermost list; 1 for anything else. */
  readonly members: number
  /** Brackets that open and commas, outside of texts. */
  readonly marks: number
  readonly depth: number
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const opens: readonly number[] = [0x5b, 0x7b]
const closes: readonly number[] = [0x5d, 0x7d]
const [openList, openObject] = opens
const [closeList, closeObject] = closes

/** The text need not be JSON. */
export function countStructure(bytes: Uint8Array): Structure {
  let [members, marks, depth, deepest] = [1, 0, 0, 0]
  let isList: boolean | undefined
  let inText = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (inText) {
      if (byte === backslash) index += 1
      else if (byte === quote) inText = false
    } else if (byte === quote) {
      inText = true
    } else if (byte === comma) {
      marks += 1
      if (depth === 1 && isList) members += 1
    } else if (byte === openList || byte === openObject) {
      isList ??= byte === openList
      marks += 1
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (byte === closeList || byte === closeObject) {
      depth -= 1
    }
  }
  return { members, marks, depth: deepest }
}

/** Why no node would answer so many calls like this. Undefined where it may be parsed. */
export function implausible(bytes: Uint8Array, calls: number): string | undefined {
  const { members, marks, depth } = countStructure(bytes)
  if (members > calls) return 'an answer with more members than calls'
  if (depth > answerLimits.depthMax) return 'an answer that is nested too deeply'
  const marksMax = answerLimits.marksFree + bytes.length / answerLimits.bytesPerMark
  return marks > marksMax ? 'an answer with too many brackets and commas' : undefined
}
