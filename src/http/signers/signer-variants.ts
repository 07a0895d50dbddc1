// The signers of a request by their types, for the OpenAPI document. The parsers of the configuration file enforce these rules
// (`src/config/parse-signer.ts`); a test compares the two.
import { configSchemas, formed, orNone, type SignerDialect, type SignerSchema } from '../../domain/signer-schema.ts'
import { requestedSignerTypes, signerForms } from '../../domain/signer-table.ts'
import { headerCharsMax, headerValuePattern, inAnyCase } from '../../ops/request-headers.ts'
import { forms } from '../request/stated.ts'

const inHeader = { pattern: headerValuePattern, maxLength: headerCharsMax }
const privateKey = { pattern: '^(0x)?[0-9a-fA-F]{64}$', format: 'secp256k1-private-key' }

/** Secrets are texts in a request. */
const dialect: SignerDialect = {
  isFile: false,
  inHeader,
  url: ({ isSafe, hostsInRequests }) => {
    const host = hostsInRequests ? `[^\\s/?#@\\\\:]*${inAnyCase(hostsInRequests.pattern)}(:[0-9]+)?` : '[^\\s/?#@\\\\]+'
    const scheme = inAnyCase(isSafe ? 'https' : 'https?')
    return { ...formed(`${scheme}://${host}([/\\\\][^\\s?#]*)?[?]?#?`), format: 'http-url' }
  },
  secret: (row) => ({
    ...{ type: 'string', pattern: '\\S', writeOnly: true },
    ...(row.inHeader && inHeader),
    ...(row.isPrivateKey && privateKey),
  }),
}

/** The forms of `config`, by the type of the signer. */
export const signerConfigs: Readonly<Record<string, readonly SignerSchema[]>> = Object.fromEntries(
  requestedSignerTypes.map((type) => [type, configSchemas(signerForms[type], dialect)]),
)

const id = {
  ...{ type: ['string', 'null'], pattern: '^[a-zA-Z0-9_-]{1,36}$' },
  description: 'at most 36 letters, digits, dashes and underscores; without it the service creates one',
}
const address = {
  plain: { type: ['string', 'null'], description: 'not used: the service computes it from the key' },
  ofService: orNone({ ...forms.address, description: 'the address that the key must have: the service compares' }),
}

function titleOf(type: string): string {
  return `${type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}SignerRequest`
}

/** The bodies that create a signer, one for each type. */
export const signerVariants: readonly SignerSchema[] = Object.entries(signerConfigs).map(([type, configs]) => ({
  ...{ title: titleOf(type), type: 'object', required: ['type', 'config'] },
  properties: {
    id,
    type: { type: 'string', enum: [type] },
    config: configs.length === 1 ? { ...configs[0] } : { oneOf: configs },
    address: type === 'plain' ? address.plain : address.ofService,
  },
  additionalProperties: false,
}))

export const signerDiscriminator = {
  propertyName: 'type',
  mapping: Object.fromEntries(requestedSignerTypes.map((type) => [type, `#/components/schemas/${titleOf(type)}`])),
}
