// Limits what responses that nobody reads hold in memory: bytes for each key, and time for each connection.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import type { Clock } from '../../ops/clock.ts'
import { countedBytesMin, drainedBytesPerMs, drainMs, unreadBytesMax } from '../limits.ts'
import { isChangeRequest } from '../request/audit.ts'
import { sizeOfSliced } from '../response/sliced-list.ts'

export function limitUnread(app: FastifyInstance, clock: Clock): void {
  /** Unread bytes by key, or by address where there is no key. */
  const unread = new Map<string, number>()

  app.addHook('onSend', (request, reply, payload, done) => {
    const isShared = Buffer.isBuffer(payload)
    const sliced = sizeOfSliced(payload)
    const bytes = sliced?.heldBytes ?? bytesOf(payload, reply)
    if (bytes === undefined || bytes < countedBytesMin) return done()
    const reader = readerOf(request)
    const held = unread.get(reader) ?? 0
    // What changed something has to be answered. One response is always allowed, whatever its size.
    const isRead = !isChangeRequest(request)
    if (!isShared && isRead && held > 0 && held + bytes > unreadBytesMax) {
      const message = `${held} bytes of earlier responses are not read yet; read them, or close their connections`
      return done(new RescindError('TOO_MUCH_UNREAD', message))
    }
    // A shared buffer costs no memory.
    if (!isShared) unread.set(reader, held + bytes)
    const over = new AbortController()
    reply.raw.once('close', () => {
      over.abort('the response is read, or its connection closed')
      if (isShared) return
      const left = (unread.get(reader) ?? 0) - bytes
      if (left > 0) unread.set(reader, left)
      else unread.delete(reader)
    })
    clock
      .sleep(drainMs + (sliced?.bytes ?? bytes) / drainedBytesPerMs, over.signal)
      .then(() => over.signal.aborted || request.raw.socket.destroy())
    done()
  })
}

/** The size of an answer; undefined for a stream without an end. */
function bytesOf(payload: unknown, reply: FastifyReply): number | undefined {
  if (Buffer.isBuffer(payload) || typeof payload === 'string') return payload.length
  const declared = reply.getHeader('content-length')
  return declared === undefined ? undefined : Number(declared)
}

function readerOf({ keyId, ip }: FastifyRequest): string {
  return keyId === undefined ? `address ${ip}` : `key ${keyId}`
}
