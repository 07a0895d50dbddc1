// Which methods a path knows, for the answer to one that it does not.
import type { FastifyInstance } from 'fastify'

/** Learns the routes as they are added; answers in the order of the alphabet, empty for an unknown path. */
export function allowedMethods(app: FastifyInstance): (url: string) => readonly string[] {
  const methodsOf = new Map<string, { matches: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? { matches: patternOf(url), methods: new Set() }
    methodsOf.set(url, known)
    for (const name of [method].flat()) known.methods.add(name)
  })
  return (url) => {
    const path = url.split(/[?#]/, 1)[0] ?? ''
    const matching = [...methodsOf.values()].filter(({ matches }) => matches.test(path))
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort()
  }
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', '\\.')))
  return new RegExp(`^${segments.join('/')}$`)
}
