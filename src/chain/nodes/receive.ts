// Receives the body of an HTTP answer, up to a limit and within a budget.
import type { Readable } from 'node:stream'
import type { ByteBudget } from './byte-budget.ts'
import { answerLimits } from './expected-answer.ts'

interface Receiving {
  readonly body: Readable
  /** The length in the header `content-length`, if there is one. */
  readonly announcedBytes: number | undefined
  readonly bytesMax: number
  readonly budget?: ByteBudget | undefined
  readonly signal: AbortSignal
  /** Called with the bytes so far. */
  readonly progress: (bytes: number) => void
}

interface Received {
  /** The bytes, in a buffer of their own where there are many. */
  readonly bytes: Buffer
  /** Returns the bytes to the budget; called once they are parsed. */
  readonly release: () => void
}

/** Rejects when the connection fails or the signal aborts. What exceeds the limit is not received further. */
export async function receive(receiving: Receiving): Promise<Received | 'tooLarge'> {
  const { body, announcedBytes, bytesMax } = receiving
  // Breaking off reports an error, which nobody else listens to.
  body.on('error', () => undefined)
  if (announcedBytes !== undefined && announcedBytes > bytesMax) {
    body.destroy()
    return 'tooLarge'
  }
  let release: () => void = () => undefined
  try {
    const chunks = await collect(receiving, (give) => {
      release = give
    })
    if (chunks === 'tooLarge') release()
    return chunks === 'tooLarge' ? chunks : { bytes: joined(chunks), release }
  } catch (error) {
    release()
    throw error
  }
}

function collect(
  { body, announcedBytes, bytesMax, budget, signal, progress }: Receiving,
  took: (release: () => void) => void,
): Promise<readonly Buffer[] | 'tooLarge'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let isBudgeted = budget === undefined

    const takeBudget = async (of: ByteBudget) => {
      isBudgeted = true
      // The node waits meanwhile: nothing more is read from the connection.
      body.pause()
      took(await of.take(announcedBytes ?? bytesMax, signal))
      if (!signal.aborted) body.resume()
    }
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      progress(bytes)
      if (bytes > bytesMax) {
        body.destroy()
        resolve('tooLarge')
        return
      }
      chunks.push(chunk)
      if (budget && !isBudgeted && bytes > answerLimits.uncountedBytes) void takeBudget(budget)
    })
    body.once('end', () => resolve(chunks))
    body.once('error', reject)
    body.once('close', () => reject(new Error('the connection was closed')))
  })
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  if (first && chunks.length === 1 && first.length <= answerLimits.mainThreadBytes) return first
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) at += chunk.copy(bytes, at)
  return bytes
}
