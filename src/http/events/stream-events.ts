// Streams the events that the key may see, as server-sent events that a reader can resume (GET).

import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { EventFeed } from '../../commands/events/follow-events.ts'
import { type ErrorCode, RescindError } from '../../domain/errors.ts'
import type { EventSubject } from '../../domain/event.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import { late, within } from '../../ops/within.ts'
import type { Reads } from '../../store/store.ts'
import { eventStreamsMax, eventStreamsPerKeyMax, eventsAtOnce, heartbeatMs } from '../limits.ts'
import { checkGrant, isPrincipal, type Principal, permits } from '../request/authenticate.ts'
import type { AuthenticateRequest } from '../request/authorize.ts'
import { operation } from '../request/operation.ts'
import { openPlaces } from '../request/places.ts'
import { requesterIdOf } from '../request/requester.ts'
import { stated } from '../request/stated.ts'
import { invalid } from '../request/validate.ts'
import { foundRelayer } from '../response/found.ts'
import { followChanges } from './follow-changes.ts'
import { presentEvent } from './present-event.ts'
import { resumeAt } from './resume-events.ts'

const querySchema = Type.Object(
  {
    relayer_id: Type.Optional(Type.Unsafe<RelayerId>(Type.String({ description: 'the id of a relayer' }))),
    transaction_id: Type.Optional(Type.String({ description: 'the id of a transaction' })),
    after: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,15}(-[0-9]{1,15})?$',
        description: 'the id of an event, such as "1042-1767323045678"; the stream begins after it',
      }),
    ),
    detail: Type.Optional(
      Type.Union([Type.Literal('full'), Type.Literal('position')], {
        description:
          'position: instead of the events, a "changed" with the id of the newest one, at most twice a second; of all relayers, so not beside relayer_id or transaction_id',
      }),
    ),
  },
  { additionalProperties: false },
)

/** `resumeAt` parses it. */
const headersSchema = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'the id of the last event that the reader has; the stream begins after it, whatever `after` says',
      ...stated({ pattern: '^([0-9]{1,15}(-[0-9]{1,15})?)?$' }),
    }),
  ),
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
  /** Aborts when the process begins to stop: streams end, and readers reconnect to another replica. */
  readonly stopping: AbortSignal
}

export function streamEvents(streams: EventStreams) {
  let open = 0
  const places = openPlaces(eventStreamsPerKeyMax)
  return operation({
    scope: 'read',
    answerHeaders: ['X-Accel-Buffering'],
    refusals: ['RELAYER_NOT_GRANTED', 'RELAYER_NOT_FOUND', 'EVENTS_GONE', 'TOO_MANY_STREAMS'],
    schema: {
      operationId: 'streamEvents',
      summary: 'Follow events as they happen',
      description: 'Server-sent events; the data of each is the body of a webhook. Last-Event-ID resumes.',
      tags: ['events'],
      querystring: querySchema,
      headers: headersSchema,
      response: {
        200: {
          description: 'A stream that lasts until the reader or the service ends it',
          content: { 'text/event-stream': { schema: streamSchema } },
        },
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
      const start = await resumeAt(streams.reads, headers['last-event-id'], query.after)
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
          ? positions(streams, start, heard, ended.signal)
          : follow(streams, start, wantedBy(principal, relayerId, transactionId), heard, ended.signal)
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

function wantedBy(principal: Principal | undefined, relayerId?: string, transactionId?: string) {
  return (subject: EventSubject): boolean => {
    if (relayerId !== undefined && subject.relayerId !== relayerId) return false
    if (transactionId !== undefined && subject.transactionId !== transactionId) return false
    return principal !== undefined && permits(principal, 'read', subject.relayerId)
  }
}

async function* follow(
  { reads, feed, clock }: EventStreams,
  start: number,
  wanted: (subject: EventSubject) => boolean,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  let position = start
  yield opening(position)
  // A revoked or expired key receives no further events.
  while (!ended.aborted && (await heard())) {
    const { events, through } = await reads.events(position, eventsAtOnce, wanted)
    for (const event of events) {
      if (ended.aborted) return
      const body = presentEvent(event)
      yield `id: ${body.id}\nevent: ${body.event}\ndata: ${JSON.stringify(body)}\n\n`
    }
    if (through > position) {
      position = through
      continue
    }
    const more = await within(clock, heartbeatMs, (over) => feed.eventAfter(position, over), ended)
    // With the position, so that a reader whose filter matches few events resumes from here.
    if (more === late && !ended.aborted) yield `${alive}${idLine(position)}\n`
  }
}

async function* positions(
  streams: EventStreams,
  start: number,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  yield opening(start)
  for await (const position of followChanges(streams, start, heard, ended)) {
    // A browser gives its page no event without data.
    yield position === undefined ? `${alive}\n` : `${idLine(position)}event: changed\ndata: {}\n\n`
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
function opening(position: number): string {
  return `retry: 1000\n${idLine(position)}\n`
}

/** An id without an event advances the reader's position (HTML §9.2.6). */
function idLine(position: number): string {
  return `id: ${position}\n`
}
