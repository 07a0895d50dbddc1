// The parts of the OpenAPI document that no schema holds.
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'

export function describeApi(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Rescind',
        version,
        description:
          'An Ethereum transaction relayer built around cancellation: of one transaction, or of all at once.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      tags: [
        { name: 'transactions', description: 'Sending, reading and canceling' },
        { name: 'signing', description: 'Signatures that are never mined' },
        { name: 'events', description: 'Changes of transactions, as they happen' },
        { name: 'relayers', description: 'Signers and their accounts' },
        { name: 'api keys', description: 'Access to the API, and its audit log' },
        { name: 'signers', description: 'Keys' },
        { name: 'networks', description: 'Chains and their nodes' },
        { name: 'notifications', description: 'Where events go' },
        { name: 'service', description: 'The service itself' },
      ],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
      security: [{ apiKey: [] }],
    },
  }
}
