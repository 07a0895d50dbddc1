// The members of a signer's config, of all types: those that an answer shows, and the checks of those that a body has.
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { isShown, type SignerMember } from '../../domain/signer-form.ts'
import { signerForms } from '../../domain/signer-table.ts'

/** The parser of the configuration file checks the members of each type. */
export const signerConfigSchema = Type.Object(
  { key: Type.Optional(Type.Unknown()) },
  {
    ...{ additionalProperties: true, writeOnly: true },
    description: 'an object whose members depend on the type: those of the configuration file, with secrets as texts',
    examples: [{ key: `0x${'11'.repeat(32)}` }],
  },
)

/** The rows of all forms, with the type of the signer. */
const rows = Object.entries(signerForms).flatMap(([type, forms]) =>
  Object.values(forms).flatMap(({ members }) => Object.values(members).map((row) => ({ type, row }))),
)

/** Several types, or forms of one, have members of the same name. */
function shownMembers(all: typeof rows): TProperties {
  const byName = Map.groupBy(
    all.filter(({ row }) => isShown(row)),
    ({ row }) => row.name,
  )
  return Object.fromEntries(
    [...byName].map(([name, same]) => {
      const description = [...new Set(same.map(({ type, row }) => `${type}: ${row.meaning}`))].join('; ')
      return [name, Type.Optional(shownSchema(same, description))]
    }),
  )
}

function shownSchema(same: typeof rows, description: string): TSchema {
  const nested = same.flatMap(({ type, row }) =>
    row.kind === 'object' ? Object.values(row.members).map((inner: SignerMember) => ({ type, row: inner })) : [],
  )
  if (nested.length > 0) return Type.Object(shownMembers(nested), { additionalProperties: false, description })
  return same.some(({ row }) => row.kind === 'count') ? Type.Integer({ description }) : Type.String({ description })
}

export const shownConfigSchema = Type.Object(shownMembers(rows), {
  additionalProperties: false,
  description: 'the settings without secrets; empty for a key that this service holds',
})

/** Throws INVALID_REQUEST. */
export function checkSignerKey({ key, ...others }: Static<typeof signerConfigSchema>): void {
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw new RescindError('INVALID_REQUEST', `config.${other.slice(0, 20)}: is not accepted here; send only key`)
  }
  if (typeof key === 'string' && /^(0x)?[0-9a-fA-F]{64}$/.test(key)) return
  const given =
    typeof key === 'string' ? 'is no private key (not shown: it may be most of one)' : 'is not a private key'
  const fault = key === undefined ? 'is missing' : given
  throw new RescindError('INVALID_REQUEST', `config.key: ${fault}; send 64 hex digits, with or without 0x`)
}
