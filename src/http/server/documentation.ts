// Serves the OpenAPI document, and the reference page that shows it without contacting another host.
import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { basePath } from '../request/mount.ts'

/** The page runs its own script and style, and may fetch from this service only. */
const pagePolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function documentationRoutes(app: FastifyInstance): void {
  let document: string | undefined
  app.get(`${basePath}/openapi.json`, { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })

  let page: Promise<FastifyInstance> | undefined
  const show = { schema: { hide: true } }
  for (const url of ['/docs', '/docs/', '/docs/js/scalar.js']) {
    app.get(url, show, async (request, reply) => {
      page ??= openPage()
      const shown = await (await page).inject({ method: 'GET', url: request.url })
      reply.code(shown.statusCode)
      for (const name of ['content-type', 'location']) {
        const value = shown.headers[name]
        if (value !== undefined) reply.header(name, value)
      }
      return reply.header('content-security-policy', pagePolicy).send(shown.rawPayload)
    })
  }
}

/** Loaded at its first request: the script takes 40 MB of memory, which a service without readers does not need. */
async function openPage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const page = Fastify()
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: `${basePath}/openapi.json`,
      pageTitle: 'Rescind API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // The page of a service that holds keys must not link to other companies' servers.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  await page.ready()
  return page
}
