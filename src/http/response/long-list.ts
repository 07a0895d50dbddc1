// Writes a body with a long list in slices: other requests come between them, and memory holds one slice at a time.
import { Readable } from 'node:stream'
import { nextTurn } from '../../ops/clock.ts'

const shortMax = 10_000
/** V8 frees strings above 128 KiB late. */
const sliceMax = 1_000

export interface LongBody {
  readonly bytes: number
  readonly content: Readable
}

/** Above this length `body` as JSON, with `list` in the place of the first empty list named `name`; undefined below. */
export async function withLongList(body: object, name: string, list: readonly string[]): Promise<LongBody | undefined> {
  if (list.length <= shortMax) return undefined
  const [before, ...after] = JSON.stringify(body).split(`"${name}":[]`)
  function* texts(): Generator<string> {
    yield `${before}"${name}":[`
    for (let at = 0; at < list.length; at += sliceMax) {
      yield (at === 0 ? '' : ',') + JSON.stringify(list.slice(at, at + sliceMax)).slice(1, -1)
    }
    yield `]${after.join(`"${name}":[]`)}`
  }
  // Written twice, so that the response can state its length.
  let bytes = 0
  for (const text of texts()) {
    bytes += Buffer.byteLength(text)
    await nextTurn()
  }
  return { bytes, content: Readable.from(inTurns(texts()), { objectMode: false }) }
}

async function* inTurns(texts: Iterable<string>): AsyncGenerator<Buffer> {
  for (const text of texts) {
    yield Buffer.from(text)
    await nextTurn()
  }
}
