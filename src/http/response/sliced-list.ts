// Answers with a list whose items may be large: they are read and written a slice at a time, as fast as their reader reads.
import { Readable } from 'node:stream'
import { nextTurn } from '../../ops/clock.ts'
import type { PageItem } from '../../store/list-port.ts'
import { pageSliceBytes } from '../limits.ts'
import { type Pagination, type Success, success } from './envelope.ts'

/** The size of an answer while nobody reads it. */
interface SlicedSize {
  /** The bytes in memory, at most. */
  readonly heldBytes: number
  /** The bytes of the whole answer, about. */
  readonly bytes: number
}

const sizes = new WeakMap<object, SlicedSize>()

/** The size of a list that is written in slices; undefined for anything else. */
export function sizeOfSliced(payload: unknown): SlicedSize | undefined {
  return typeof payload === 'object' && payload !== null ? sizes.get(payload) : undefined
}

/** The slices of an unread answer: one in the stream, and those that the connection took and did not send. */
const slicesHeld = 3

interface ListReply<R> {
  type(contentType: string): { send(content: Readable): R }
}

/** Returns an envelope where all items fit into one slice. `present` gets each item as it was when its slice was read. */
export async function sendList<T, R>(
  reply: ListReply<R>,
  items: readonly PageItem<T>[],
  present: (item: T) => unknown,
  pagination?: Pagination,
  logs: readonly string[] = [],
  metadata: object = {},
): Promise<Success<unknown> | R> {
  const body = success<readonly unknown[]>([], logs, pagination, metadata)
  const [first = [], ...more] = sliced(items)
  if (more.length === 0) return { ...body, data: (await readAll(first)).map(present) }

  const slices = [first, ...more]
  const around = JSON.stringify(body)
  const content = Readable.from(texts(slices, around, present), { objectMode: false, highWaterMark: 1 })
  const heldBytes = slicesHeld * Math.max(...slices.map(bytesOf)) + around.length
  sizes.set(content, { heldBytes, bytes: bytesOf(items) + around.length })
  return reply.type('application/json; charset=utf-8').send(content)
}

/** `body` has an empty list as its first member. */
async function* texts<T>(
  slices: readonly (readonly PageItem<T>[])[],
  body: string,
  present: (item: T) => unknown,
): AsyncGenerator<Buffer> {
  const at = body.indexOf('[') + 1
  yield Buffer.from(body.slice(0, at))
  let separator = ''
  for (const slice of slices) {
    const shown = (await readAll(slice)).map((item) => JSON.stringify(present(item)))
    if (shown.length === 0) continue
    yield Buffer.from(separator + shown.join(','))
    separator = ','
    await nextTurn()
  }
  yield Buffer.from(body.slice(at))
}

/** The items in their order, in slices. A slice is full when its items have `pageSliceBytes`, so only its last one is beyond that. */
function sliced<T>(items: readonly PageItem<T>[]): PageItem<T>[][] {
  const slices: PageItem<T>[][] = []
  let room = 0
  for (const item of items) {
    if (room <= 0) {
      slices.push([])
      room = pageSliceBytes
    }
    slices.at(-1)?.push(item)
    room -= item.bytes
  }
  return slices
}

function bytesOf(items: readonly PageItem<unknown>[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0)
}

async function readAll<T>(items: readonly PageItem<T>[]): Promise<T[]> {
  const read: T[] = []
  for (const item of items) {
    const each = await item.read()
    if (each !== undefined) read.push(each)
  }
  return read
}

// Writes a body with a long list in slices: other requests come between them, and memory holds one slice at a time.
const shortMax = 10_000
/** V8 frees strings above 128 KiB late. */
const sliceMax = 1_000

interface LongBody {
  readonly bytes: number
  readonly content: Readable
}

/** A long body: `body` as JSON, with `list` in the place of the first empty list named `name`. Undefined if `list` is short. */
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
