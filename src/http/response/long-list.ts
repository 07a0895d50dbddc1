// Writes a body with a long list in slices, so that other requests come between them.
import { nextTurn } from '../../ops/clock.ts'

const sliceMax = 10_000

/** Above this length `body` as text, with `list` in the place of the first empty list named `name`; undefined below. */
export async function withLongList(body: object, name: string, list: readonly string[]): Promise<string | undefined> {
  if (list.length <= sliceMax) return undefined
  const [before, ...after] = JSON.stringify(body).split(`"${name}":[]`)
  const parts: string[] = []
  for (let at = 0; at < list.length; at += sliceMax) {
    parts.push(JSON.stringify(list.slice(at, at + sliceMax)).slice(1, -1))
    await nextTurn()
  }
  return `${before}"${name}":[${parts.join(',')}]${after.join(`"${name}":[]`)}`
}
