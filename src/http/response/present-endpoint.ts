// URLs that may hold a provider's key: the host is shown, and everything that may be secret is not.
import { type Static, Type } from 'typebox'
import type { Secret } from '../../ops/secret.ts'
import type { EndpointSettings } from '../../registry/entities.ts'

export const endpointSchema = Type.Object(
  {
    url: Type.String({ description: 'with user, path and query masked', examples: ['https://rpc.example/***'] }),
    weight: Type.Integer({ minimum: 1, maximum: 100 }),
  },
  { additionalProperties: false },
)

export function presentEndpoint({ url, weight }: EndpointSettings): Static<typeof endpointSchema> {
  return { url: presentUrl(url), weight }
}

export function presentUrl(url: Secret): string {
  const { protocol, host, username, password, pathname, search } = new URL(url.reveal())
  const isBare = username === '' && password === '' && pathname === '/' && search === ''
  return `${protocol}//${host}${isBare ? '' : '/***'}`
}
