// Limits the connections that have shown no key yet, such as those of requests that never end: the oldest gives way to a new one.
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { unprovenConnectionsMax } from '../limits.ts'

export function limitUnproven(app: FastifyInstance): void {
  const unproven = new Set<Socket>()
  app.server.on('connection', (socket) => {
    unproven.add(socket)
    socket.once('close', () => unproven.delete(socket))
    const [oldest] = unproven
    if (unproven.size > unprovenConnectionsMax) oldest?.destroy()
  })
  // Behind authorization.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.principal) unproven.delete(request.raw.socket)
    done()
  })
}
