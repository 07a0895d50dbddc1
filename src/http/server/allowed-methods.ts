// The methods of each path, and the refusal of any other method or path.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import { pathOf } from '../request/path-of.ts'

/** Collects the routes as they are added. Returns methods in alphabetical order; none for an unknown path. */
export function allowedMethods(app: FastifyInstance): (url: string) => readonly string[] {
  const methodsOf = new Map<string, { matches: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? { matches: patternOf(url), methods: new Set() }
    methodsOf.set(url, known)
    for (const name of [method].flat()) known.methods.add(name)
  })
  return (url) => {
    const path = pathOf(url)
    const matching = [...methodsOf].filter(([, { matches }]) => matches.test(path))
    // A path of its own, such as `…/pending`, also looks like one with a parameter: its own methods count.
    const parameters = (route: string) => route.split('/:').length
    const [nearest] = matching.sort(([one], [other]) => parameters(one) - parameters(other))
    return [...(nearest?.[1].methods ?? [])].sort()
  }
}

/** The refusal of a missing path or method. */
export function missing(allowed: readonly string[], method: string, reply: FastifyReply): RescindError {
  if (allowed.length === 0) return new RescindError('ROUTE_NOT_FOUND', 'no such path; /docs shows those that are')
  reply.header('allow', allowed.join(', '))
  return new RescindError('METHOD_NOT_ALLOWED', `${method} is not for this path; it allows ${allowed.join(', ')}`)
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', '\\.')))
  return new RegExp(`^${segments.join('/')}$`)
}
