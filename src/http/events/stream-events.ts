// Streams the events that the key may see, as server-sent events that a reader can resume (GET).
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { EventFeed } from '../../commands/events/follow-events.ts'
import { type ErrorCode, RescindError } from '../../domain/errors.ts'
import type { EventSubject } from '../../domain/event.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import { within } from '../../ops/within.ts'
import type { SparseWindow } from '../../store/list-port.ts'
import type { EventWindow, Reads } from '../../store/store.ts'
import {
  changesEveryMs,
  eventStreamsMax,
  eventStreamsPerKeyMax,
  eventsAtOnce,
  eventsSearchBreathMs,
  eventsSearchedAtOnce,
  heartbeatMs,
} from '../limits.ts'
import { checkGrant, isPrincipal, requesterIdOf } from '../request/authenticate.ts'
import type { AuthenticateRequest } from '../request/authorize.ts'
import { operation } from '../request/operation.ts'
import { openPlaces } from '../request/places.ts'
import { stated } from '../request/stated.ts'
import { invalid } from '../request/validate.ts'
import { optionalString } from '../response/forms.ts'
import { foundRelayer } from '../response/found.ts'
import { presentEvent } from './present-event.ts'
import { resumeAt } from './resume-events.ts'
import { type IdSeal, sealedIdPattern } from './seal-ids.ts'
import { type EventsInView, eventsInView } from './view-events.ts'

const querySchema = Type.Object(
  {
    relayer_id: Type.Optional(Type.Unsafe<RelayerId>(Type.String({ description: 'the id of a relayer' }))),
    transaction_id: optionalString({ description: 'the id of a transaction' }),
    after: optionalString({
      pattern: `^([0-9]{1,15}(-[0-9]{1,15})?|${sealedIdPattern})$`,
      description: 'the id of an event, such as "1042-1767323045678"; the stream begins after it',
    }),
    detail: Type.Optional(
      Type.Union([Type.Literal('full'), Type.Literal('position')], {
        description:
          'position: instead of the events, a "changed" with the id of the newest one, at most twice a second; of all relayers of the key, so not beside relayer_id or transaction_id',
      }),
    ),
  },
  { additionalProperties: false },
)

/** `resumeAt` parses it. */
const headersSchema = Type.Object({
  'last-event-id': optionalString({
    description: 'the id of the last event that the reader has; the stream begins after it, whatever `after` says',
    ...stated({ pattern: `^([0-9]{1,15}(-[0-9]{1,15})?|${sealedIdPattern})?$` }),
  }),
})

const streamSchema = Type.String({
  examples: [
    'retry: 1000\nid: 1041\n\nid: 1042-1767323045678\nevent: transaction_update\ndata: {"id":"1042-1767323045678"}\n\n',
  ],
})

export interface EventStreams {
  readonly reads: Reads
  readonly feed: EventFeed
  readonly clock: Clock
  readonly logger: Logger
  readonly authenticate: AuthenticateRequest
  /** Seals the ids for keys that are bound to relayers. */
  readonly seal: IdSeal
  /** Aborts when the process begins to stop: streams end, and readers reconnect to another replica. */
  readonly stopping: AbortSignal
}

export function streamEvents(streams: EventStreams) {
  let open = 0
  const places = openPlaces(eventStreamsPerKeyMax)
  const search = openSearch(streams)
  return operation({
    scope: 'read',
    answerHeaders: ['X-Accel-Buffering'],
    refusals: ['RELAYER_NOT_GRANTED', 'RELAYER_NOT_FOUND', 'EVENTS_GONE', 'TOO_MANY_STREAMS'],
    operationId: 'streamEvents',
    summary: 'Follow events as they happen',
    description: 'Server-sent events; the data of each is the body of a webhook. Last-Event-ID resumes.',
    querystring: querySchema,
    headers: headersSchema,
    response: {
      200: {
        description: 'A stream that lasts until the reader or the service ends it',
        content: { 'text/event-stream': { schema: streamSchema } },
      },
    },
    async answer(request, reply) {
      const { query, headers, principal, raw } = request
      const { relayer_id: relayerId, transaction_id: transactionId, detail } = query
      if (detail === 'position' && (relayerId ?? transactionId) !== undefined) {
        throw invalid('detail', detail, '"full", or leave out relayer_id and transaction_id')
      }
      if (relayerId !== undefined) {
        if (principal) checkGrant(principal, 'read', relayerId)
        await foundRelayer(streams.reads, relayerId)
      }
      const view = eventsInView(streams.reads, streams.seal, principal)
      const start = await resumeAt(streams.reads, streams.seal, view, headers['last-event-id'], query.after)
      if (open >= eventStreamsMax) throw refused('TOO_MANY_STREAMS', `${eventStreamsMax} streams are open; close some`)

      reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
      if (raw.method === 'HEAD') return reply.send('')

      const leave = places.take(requesterIdOf({ principal }))
      if (!leave) throw refused('TOO_MANY_STREAMS', `this key has ${eventStreamsPerKeyMax} streams open; close some`)
      const heard = async () => isPrincipal(await streams.authenticate(reply.request))
      const ended = new AbortController()
      const end = () => ended.abort()
      streams.stopping.addEventListener('abort', end)
      if (streams.stopping.aborted) end()
      open += 1
      raw.once('close', end)
      const body =
        detail === 'position'
          ? positions(streams, view, start, heard, ended.signal)
          : follow({ ...streams, search }, view, start, wantedBy(view, relayerId, transactionId), heard, ended.signal)
      const lines = Readable.from(reportingErrors(streams, body), {
        // Events wait in the store, not in memory: the stream reads no further than its reader.
        highWaterMark: 1,
      })
      lines.once('close', () => {
        open -= 1
        leave()
        end()
        streams.stopping.removeEventListener('abort', end)
      })
      return reply.send(lines)
    },
  })
}

function refused(code: ErrorCode, message: string): RescindError {
  return new RescindError(code, message)
}

function wantedBy({ sees }: EventsInView, relayerId?: string, transactionId?: string) {
  return (subject: EventSubject): boolean => {
    if (relayerId !== undefined && subject.relayerId !== relayerId) return false
    if (transactionId !== undefined && subject.transactionId !== transactionId) return false
    return sees(subject)
  }
}

async function* follow(
  { reads, feed, clock, search }: EventStreams & { readonly search: Search },
  { isBound, idOf, idOfPosition }: EventsInView,
  start: number,
  wanted: (subject: EventSubject) => boolean,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  let position = start
  let isSearching = false
  yield opening(idOfPosition(position))
  let aliveAt = clock.elapsed() + heartbeatMs
  // A revoked or expired key receives no further events.
  while (!ended.aborted && (await heard())) {
    const wasSearching: boolean = isSearching
    const window: EventWindow & Partial<SparseWindow> = isSearching
      ? await search(position, wanted, ended)
      : await reads.events(position, eventsAtOnce, wanted)
    const { events, through } = window
    for (const event of events) {
      if (ended.aborted) return
      const body = { ...presentEvent(event), id: idOf(event) }
      yield `id: ${body.id}\nevent: ${body.event}\ndata: ${JSON.stringify(body)}\n\n`
      aliveAt = clock.elapsed() + heartbeatMs
    }
    // A whole page without an event for this reader: the next one may be far away.
    isSearching = window.mayBeFar ?? (events.length === 0 && through - position >= eventsAtOnce)
    if (through > position) {
      position = through
      // A reader that leaves and comes back goes on from here. A bound key's line would show when other relayers move.
      if (wasSearching && events.length === 0 && !isBound) {
        yield `${idLine(idOfPosition(position))}\n`
        aliveAt = clock.elapsed() + heartbeatMs
      }
    } else {
      const leftMs = Math.max(0, aliveAt - clock.elapsed())
      await within(clock, leftMs, (over) => feed.eventAfter(position, over), ended)
    }
    // Its time depends on the reader's own lines, never on events that the reader does not see. It has the position, so that a
    // reader whose filter matches few events resumes from here.
    if (ended.aborted || clock.elapsed() < aliveAt) continue
    yield `${alive}${idLine(idOfPosition(position))}\n`
    aliveAt = clock.elapsed() + heartbeatMs
  }
}

async function* positions(
  streams: EventStreams,
  view: EventsInView,
  start: number,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  yield opening(view.idOfPosition(start))
  for await (const position of followChanges(streams, view, start, heard, ended)) {
    // A browser gives its page no event without data.
    yield position === undefined ? `${alive}\n` : `${idLine(view.idOfPosition(position))}event: changed\ndata: {}\n\n`
  }
}

/** The response has begun, so it can't report an error. The reader reconnects, and receives a lasting error then. */
async function* reportingErrors({ logger }: EventStreams, lines: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* lines
  } catch (error) {
    logger.error({ err: error }, 'a stream of events ended early')
  }
}

const alive = ': still here\n'

/** Sent at once with the headers, so that the reader sees an open stream. */
function opening(id: string): string {
  return `retry: 1000\n${idLine(id)}\n`
}

/** An id without an event advances the reader's position (HTML §9.2.6). */
function idLine(id: string): string {
  return `id: ${id}\n`
}

// Follows the position of the newest event that a reader sees, without the events: for a reader that reads its view again after
// a change.
interface ChangeSource {
  readonly feed: EventFeed
  readonly clock: Clock
}

/** Yields a position past `start`, and undefined when a reader should be shown that the stream is alive. It never ends before `ended`. */
async function* followChanges(
  { feed, clock }: ChangeSource,
  { advance }: Pick<EventsInView, 'advance'>,
  start: number,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<number | undefined> {
  let position = start
  let aliveAt = clock.elapsed() + heartbeatMs
  while (!ended.aborted && (await heard())) {
    await within(clock, Math.max(0, aliveAt - clock.elapsed()), (over) => feed.eventAfter(position, over), ended)
    if (ended.aborted) return
    const next = await advance(position)
    position = next.position
    if (next.hasEvents) yield position
    // Its time depends on the reader's own lines, never on events that the reader does not see.
    else if (clock.elapsed() >= aliveAt) yield undefined
    else continue
    aliveAt = clock.elapsed() + heartbeatMs
    // A burst of events costs its reader one line, and the service no reading of them.
    if (next.hasEvents) await clock.sleep(changesEveryMs, ended)
  }
}

// Searches a long outbox for the events of a stream whose filter matches few of them. The streams of a process take turns, a
// bounded page each, so that such filters cost other requests little, however long the outbox and however many the streams are.

/** Reads a page after `position`, when the turn of this stream comes. */
type Search = (
  position: number,
  wanted: (subject: EventSubject) => boolean,
  ended: AbortSignal,
) => Promise<SparseWindow>

interface SearchSource {
  readonly reads: Pick<Reads, 'searchEvents'>
  readonly clock: Pick<Clock, 'sleep'>
}

export function openSearch({ reads, clock }: SearchSource): Search {
  const bounds = { rows: eventsSearchedAtOnce, limit: eventsAtOnce }
  let turns: Promise<unknown> = Promise.resolve()
  return (position, wanted, ended) => {
    const turn = turns.then(async (): Promise<SparseWindow> => {
      if (ended.aborted) return { events: [], through: position, mayBeFar: false }
      return reads.searchEvents(position, bounds, wanted)
    })
    // A short page costs less than a pause would.
    turns = turn.then(
      ({ mayBeFar }) => (mayBeFar ? clock.sleep(eventsSearchBreathMs) : undefined),
      () => undefined,
    )
    return turn
  }
}
