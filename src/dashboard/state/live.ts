// Follows the service's events while somebody is signed in, and says when views should read again.
import { effect, signal } from '@preact/signals'
import { after, every, now, shownNow } from './clock.ts'
import { prefix } from './prefix.ts'
import { readSession, session } from './session.ts'

/** Stops all movement on the page. */
export const paused = signal(false)
/** Rises when views should read again. */
export const changes = signal(0)
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')
/** When a view last read its data. */
export const readAt = signal(now())

/** The view shows an earlier time: the connection is lost, or somebody paused the page. */
export function isStale(): boolean {
  return paused.value || connection.value === 'lost'
}

/** Many events in a second are one reading. */
const gatherMs = 700
/** Figures such as prices change without an event. */
const refreshMs = 10_000

let isPending = false

function readSoon(): void {
  if (isPending) return
  isPending = true
  after(gatherMs, () => {
    isPending = false
    if (!paused.value) changes.value += 1
  })
}

function open(): () => void {
  const stream = new EventSource(`${prefix}/dashboard/api/v1/events?detail=position`)
  connection.value = 'connecting'
  stream.addEventListener('open', () => {
    connection.value = 'live'
    readSoon()
  })
  stream.addEventListener('error', () => {
    connection.value = 'lost'
    // The browser connects again by itself, except after a refusal: then the session may have ended.
    if (stream.readyState !== EventSource.CLOSED) return
    after(3_000, () => void checkSession())
  })
  stream.addEventListener('changed', readSoon)
  return () => stream.close()
}

const reopen = signal(0)

async function checkSession(): Promise<void> {
  await readSession()
  reopen.value += 1
}

/** A session that could not be read is not the end of one: the page stays, and tries again. */
effect(() => {
  if (session.value.kind !== 'signedIn' || paused.value) return
  void reopen.value
  const close = open()
  const stopTicking = every(1_000, () => {
    shownNow.value = now()
  })
  const stopRefreshing = every(refreshMs, () => {
    changes.value += 1
  })
  return () => {
    close()
    stopTicking()
    stopRefreshing()
  }
})

export function pause(isPaused: boolean): void {
  paused.value = isPaused
  if (isPaused) return
  shownNow.value = now()
  changes.value += 1
}
