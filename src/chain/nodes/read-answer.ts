// Turns the bytes of an answer into JSON, on the main thread where they are few.
import { answerLimits } from './answer-limits.ts'
import { implausible } from './count-structure.ts'
import type { ExpectedAnswer } from './expected-answer.ts'
import type { LargeAnswers } from './large-answers.ts'

type AnswerReading =
  | { readonly json: unknown }
  | { readonly refused: string; readonly isTooLarge: boolean; readonly isJson: boolean }

const notJson: AnswerReading = { refused: 'an answer that is not JSON', isTooLarge: false, isJson: false }

export async function readAnswer(
  bytes: Buffer,
  calls: ExpectedAnswer['calls'],
  large: LargeAnswers | undefined,
): Promise<AnswerReading> {
  if (bytes.length > answerLimits.mainThreadBytes && large) {
    const reading = await large.read({ bytes, calls })
    return 'text' in reading ? parsed(reading.text, calls.length) : reading
  }
  const reason = bytes.length > answerLimits.uncountedBytes ? implausible(bytes, calls.length) : undefined
  return reason === undefined ? parsed(bytes.toString(), calls.length) : refusal(reason)
}

function parsed(text: string, calls: number): AnswerReading {
  try {
    const json: unknown = JSON.parse(text)
    if (Array.isArray(json) && json.length > calls) return refusal('an answer with more members than calls')
    return { json }
  } catch {
    return notJson
  }
}

function refusal(refused: string): AnswerReading {
  return { refused, isTooLarge: false, isJson: true }
}
