// The nonces of a relayer from one on, all of them: the API lists a page at a time.
import type { TraceView } from '../../client/dashboard-types.ts'
import { type Loaded, useRead } from './load.ts'
import { pathOf, type Reply, type RequestOptions, request } from './request.ts'

/** The size of the API's pages. One with fewer is the last. */
const pageSize = 100

/** The nonces from `from` on; without it, from a few before the lowest open one. */
export function useNoncesFrom(relayer: string, from: number | undefined): Loaded<readonly TraceView[]> {
  const path = pathOf`/v1/relayers/${relayer}/nonces`
  return useRead(from === undefined ? path : `${path}?from=${from}`, (first, options) => readOn(path, first, options))
}

async function readOn(path: string, first: string, options: RequestOptions): Promise<Reply<readonly TraceView[]>> {
  const all: TraceView[] = []
  let next = first
  for (;;) {
    const reply = await request<readonly TraceView[]>(next, options)
    all.push(...reply.data)
    const last = reply.data.at(-1)?.transaction.nonce
    if (reply.data.length < pageSize || last === undefined) return { ...reply, data: all }
    next = `${path}?from=${last + 1}`
  }
}
