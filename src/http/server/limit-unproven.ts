// Limits the connections that have shown no key yet, such as those of requests that never end: the oldest gives way to a new one.
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { unprovenConnectionsMax } from '../limits.ts'

export function limitUnproven(app: FastifyInstance): void {
  const unproven = new Set<Socket>()
  app.server.on('connection', (socket) => {
    unproven.add(socket)
    if (unproven.size <= unprovenConnectionsMax) return
    // Only here do closed ones leave: with a listener for each socket's end, V8 keeps its requests until a full collection, which cost a
    // third of the time of a request.
    for (const each of unproven) if (each.destroyed) unproven.delete(each)
    const [oldest] = unproven
    if (unproven.size > unprovenConnectionsMax) oldest?.destroy()
  })
  // Behind authorization.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.principal) unproven.delete(request.raw.socket)
    done()
  })
}
