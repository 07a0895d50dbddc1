// A client that does what an open page of the dashboard does: it follows the events, and reads its view again at the page's pace.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Service } from '../tooling/service.ts'

/** As in src/dashboard/state/live.ts. */
const gatherMs = 700
const refreshMs = 10_000

interface OpenPage extends AsyncDisposable {
  /** Times that the view was read. */
  readonly readings: () => number
}

/** `paths` are those that the view reads, from `/v1` on. It waits until the stream is open. */
export async function openPage(service: Service, paths: readonly string[]): Promise<OpenPage> {
  const api = `${service.url}/dashboard/api`
  const cookie = await signIn(api, service)
  const closing = new AbortController()
  const { signal } = closing
  let readings = 0
  let changed = Promise.withResolvers<void>()

  const read = async () => {
    readings += 1
    const headers = { cookie, 'x-background': '1' }
    await Promise.all(paths.map((path) => answered(`${api}${path}`, { headers, signal })))
  }
  const { statusCode, body } = await request(`${api}/v1/events?detail=position`, {
    headers: { cookie, accept: 'text/event-stream' },
    bodyTimeout: 0,
    signal,
  })
  if (statusCode !== 200) throw new Error(`the stream of events was answered ${statusCode}`)
  const follow = async () => {
    for await (const text of body.setEncoding('utf8')) if (text.includes('event: changed')) changed.resolve()
    throw new Error('the stream of events ended')
  }
  const refresh = async () => {
    for (;;) {
      await read()
      await Promise.race([
        changed.promise.then(() => sleep(gatherMs, undefined, { signal })),
        sleep(refreshMs, undefined, { signal }),
      ])
      changed = Promise.withResolvers()
    }
  }
  const ended = Promise.all([follow(), refresh()]).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return {
    readings: () => readings,
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await ended
    },
  }
}

async function signIn(api: string, { url, apiKey }: Service): Promise<string> {
  const answer = await answered(`${api}/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ key: apiKey }),
  })
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  return cookie
}

async function answered(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${text}`)
  return answer
}
