// The forms of values in answers, each with an example for the OpenAPI document.
import { type TNumberOptions, type TObjectOptions, type TProperties, type TStringOptions, Type } from 'typebox'

/** Examples that occur in more than one place. */
export const some = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  relayerAddress: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  hash: `0x${'a1b2c3d4'.repeat(8)}`,
  blockHash: `0x${'5e6f7081'.repeat(8)}`,
  transactionId: '019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84',
  bulkId: '019aa5c2-a4c1-7d52-8f3e-0b9d2c6e4a17',
  apiKeyId: '019aa5c2-91b0-7e0f-8d11-f0a4c3b7e625',
  eventId: '1042-1767323045678',
  time: '2026-01-02T03:04:05.678Z',
} as const

/** A named object without members beyond those that follow, as every object of the API is. */
export function closed(title: string, keywords: TObjectOptions = {}) {
  return <P extends TProperties>(members: P) =>
    Type.Object(members, { title, additionalProperties: false, ...keywords })
}

export const optionalString = (keywords: TStringOptions) => Type.Optional(Type.String(keywords))

export const optionalInteger = (keywords: TNumberOptions) => Type.Optional(Type.Integer(keywords))

/** `description` begins with the unit. */
export const wei = (description = 'Wei, decimal') =>
  Type.String({ pattern: '^[0-9]+$', description, examples: ['1000000000'] })

/** An amount as a JSON number with all its digits. */
export const weiNumber = (description = 'Wei') =>
  Type.Integer({ minimum: 0, format: 'uint256', description, examples: [1_000_000_000] })

export const time = (description?: string) =>
  Type.String({ format: 'date-time', ...described(description), examples: [some.time] })

export const address = (description?: string) =>
  Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', ...described(description), examples: [some.relayerAddress] })

export const hash = (description?: string) =>
  Type.String({ pattern: '^0x[0-9a-f]{64}$', ...described(description), examples: [some.hash] })

/** A text, an id above all, that an example explains. */
export const such = (example: string, description?: string) =>
  Type.String({ ...described(description), examples: [example] })

export const count = (description: string) => Type.Integer({ minimum: 0, description })

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description }
}
