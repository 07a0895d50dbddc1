// Refuses an answer by its structure before it is parsed: a parser makes an object of every three bytes "{},".
import { excessOfStructure } from '../../ops/count-structure.ts'
import { answerLimits } from './expected-answer.ts'

const reasons = {
  members: 'an answer with more members than calls',
  depth: 'an answer that is nested too deeply',
  parts: 'an answer with too many brackets and commas',
} as const

/** Why no node would answer so many calls like this. Undefined where it may be parsed. */
export function implausible(bytes: Uint8Array, calls: number): string | undefined {
  const partsMax = answerLimits.marksFree + bytes.length / answerLimits.bytesPerMark
  const excess = excessOfStructure(bytes, { depthMax: answerLimits.depthMax, partsMax, membersMax: calls })
  return excess && reasons[excess]
}
