// The fields by which a log line can be found: request, relayer, transaction.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pathParametersOf } from '../request/parameters.ts'
import { shownPath } from './shown-path.ts'

export function answerFacts(request: FastifyRequest, reply: FastifyReply): object {
  const { id, method, url, principal } = request
  return {
    request_id: id,
    ...pathParametersOf(request),
    ...(principal && { key: principal.id }),
    method,
    url: shownPath(url),
    status: reply.statusCode,
    ms: reply.elapsedTime,
  }
}
