// GET of the events as they happen: server-sent events, resumable, of what the key may see.

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
import { eventStreamsMax, eventsAtOnce, heartbeatMs } from '../limits.ts'
import { type Authenticate, checkGrant, isPrincipal, type Principal, permits } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { failureSchema } from '../response/envelope.ts'
import { foundRelayer } from '../response/found.ts'
import { presentEvent } from './present-event.ts'
import { resumeAt } from './resume-events.ts'

const querySchema = Type.Object(
  {
    relayer_id: Type.Optional(Type.Unsafe<RelayerId>(Type.String({ description: 'the id of a relayer' }))),
    transaction_id: Type.Optional(Type.String({ description: 'the id of a transaction' })),
    after: Type.Optional(
      Type.String({
        pattern: '^\\d{1,15}(-\\d{1,15})?$',
        description: 'the id of an event, such as "1042-1767323045678"; the stream begins behind it',
      }),
    ),
  },
  { additionalProperties: false },
)

const refusals = [400, 401, 404, 410, 429, 500].map((status) => [status, failureSchema] as const)

export interface EventStreams {
  readonly reads: Reads
  readonly feed: EventFeed
  readonly clock: Clock
  readonly logger: Logger
  readonly authenticate: Authenticate
  /** Streams end, so that their readers come back elsewhere. */
  readonly stopping: AbortSignal
}

export function streamEvents(streams: EventStreams) {
  let open = 0
  return operation({
    scope: 'read',
    schema: {
      operationId: 'streamEvents',
      summary: 'Follow events as they happen',
      description: 'Server-sent events; the data of each is what a webhook is sent. Last-Event-ID resumes.',
      tags: ['events'],
      querystring: querySchema,
      response: {
        200: {
          description: 'A stream that goes on until the reader or the service ends it',
          content: { 'text/event-stream': { schema: Type.String() } },
        },
        ...Object.fromEntries(refusals),
      },
    },
    async answer({ query, headers, principal, raw }, reply) {
      const { relayer_id: relayerId, transaction_id: transactionId } = query
      if (relayerId !== undefined) {
        if (principal) checkGrant(principal, 'read', relayerId)
        await foundRelayer(streams.reads, relayerId)
      }
      const start = await resumeAt(streams.reads, headers['last-event-id'], query.after)
      if (open >= eventStreamsMax) throw refused('TOO_MANY_STREAMS', `${eventStreamsMax} streams are open; close some`)

      reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
      if (raw.method === 'HEAD') return reply.send('')

      const heard = async () => isPrincipal(await streams.authenticate(headers.authorization))
      const ended = new AbortController()
      const end = () => ended.abort()
      streams.stopping.addEventListener('abort', end)
      if (streams.stopping.aborted) end()
      open += 1
      raw.once('close', end)
      const lines = Readable.from(
        follow(streams, start, wantedBy(principal, relayerId, transactionId), heard, ended.signal),
        {
          // The events wait in the store, not here: what a slow reader has not taken is not read either.
          highWaterMark: 1,
        },
      )
      lines.once('close', () => {
        open -= 1
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
  { reads, feed, clock, logger }: EventStreams,
  start: number,
  wanted: (subject: EventSubject) => boolean,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  let position = start
  // Headers and a first line at once: the reader knows that it is heard.
  yield `retry: 1000\n${idLine(position)}\n`
  try {
    // A key that is revoked meanwhile, or expires, is told nothing more.
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
      // With the place: a reader whose filter lets little through is not behind for that when it comes back.
      if (more === late && !ended.aborted) yield `: still here\n${idLine(position)}\n`
    }
  } catch (error) {
    // It can't be told any more: the reader comes back, and hears of what lasts.
    logger.error({ err: error }, 'a stream of events ended early')
  }
}

/** An id without an event moves the place of the reader on (HTML §9.2.6). */
function idLine(position: number): string {
  return `id: ${position}\n`
}
