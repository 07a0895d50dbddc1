// Presents URLs and headers that may hold a provider's key: shows hosts and names, and masks every part that may be secret.

import { type Static, Type } from 'typebox'
import { defined } from '../../domain/defined.ts'
import type { EndpointSettings } from '../../domain/settings.ts'
import type { Secret } from '../../ops/secret.ts'

/** The mask that replaces each header's value. */
export const headerMask = '***'

export const endpointSchema = Type.Object(
  {
    url: Type.String({ description: 'with user, path and query masked', examples: ['https://rpc.example/***'] }),
    weight: Type.Integer({ minimum: 1, maximum: 100, examples: [100] }),
    provider: Type.Optional(Type.String({ examples: ['one'] })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'with every value masked, as "***"' }),
    ),
  },
  { title: 'Endpoint', additionalProperties: false },
)

export function presentEndpoint({ url, weight, provider, headers }: EndpointSettings): Static<typeof endpointSchema> {
  const masked = headers && Object.fromEntries(Object.keys(headers).map((name) => [name, headerMask]))
  return {
    url: presentUrl(url),
    weight,
    ...defined({ provider, headers: masked }),
  }
}

export function presentUrl(url: Secret): string {
  const { protocol, host, username, password, pathname, search } = new URL(url.reveal())
  const isBare = username === '' && password === '' && pathname === '/' && search === ''
  return `${protocol}//${host}${isBare ? '' : '/***'}`
}
