// Reads the data of a view, again after each change. A failure never replaces data.
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { now } from './clock.ts'
import { changes, paused, readAt } from './live.ts'
import { Failure, type Reply, type RequestOptions, request } from './request.ts'

export interface Loaded<T> {
  readonly answer?: Reply<T>
  readonly failure?: Failure
  reload(): void
}

/** `path` undefined: nothing to read yet. A new path begins anew. */
export function useLoad<T>(path: string | undefined, isLive = true): Loaded<T> {
  return useRead<T>(path, request, isLive)
}

type Read<T> = (path: string, options: RequestOptions) => Promise<Reply<T>>

/** `readFrom` begins at the path, and may read more. */
export function useRead<T>(path: string | undefined, readFrom: Read<T>, isLive = true): Loaded<T> {
  const state = useSignal<{ path?: string; answer?: Reply<T>; failure?: Failure }>({})
  const turn = useRef(0)

  async function read(background: boolean): Promise<void> {
    if (path === undefined) return
    turn.current += 1
    const mine = turn.current
    const kept = state.peek().path === path ? state.peek().answer : undefined
    try {
      const answer = await readFrom(path, { ...(background && { background }) })
      // A later reading is newer, whichever comes first.
      readAt.value = now()
      if (mine === turn.current) state.value = { path, answer }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (mine === turn.current) state.value = { path, ...(kept && { answer: kept }), failure: error }
    }
  }

  useEffect(() => {
    void read(false)
    return () => {
      turn.current += 1
    }
  }, [path])
  useChanges(() => isLive && void read(true))

  const { path: shown, answer, failure } = state.value
  const isCurrent = shown === path
  return {
    ...(isCurrent && answer && { answer }),
    ...(isCurrent && failure && { failure }),
    reload: () => void read(false),
  }
}

/** Calls `run` after each change, not at first. */
function useChanges(run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  const seen = useRef(changes.peek())
  useSignalEffect(() => {
    const current = changes.value
    if (current === seen.current || paused.peek()) return
    seen.current = current
    latest.current()
  })
}
