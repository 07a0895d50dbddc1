// A form of a signer's config: a row for each member, with the kind of its value and its rules.

interface Row {
  /** The member's name in the configuration file and in the API. */
  readonly name: string
  /** The description of the value, and what a refusal asks for. */
  readonly meaning: string
  readonly isOptional?: true
}

/** A row's key is the name of its value in the settings. */
export type SignerMember =
  /** `pattern`: of the text without blanks around it. `inHeader`: each request has it in a header. `isHidden`: no answer shows it. */
  | (Row & {
      readonly kind: 'text'
      readonly pattern?: string
      readonly example?: string
      /** Replaces an absent value. */
      readonly default?: string
      readonly inHeader?: true
      readonly isHidden?: true
      /** The only value in a request, which could send credentials of this machine elsewhere. */
      readonly onlyInRequests?: { readonly value: string; readonly fault: string }
    })
  /** `isSafe`: of https. `hostsInRequests`: a pattern in small letters, as a request could send a token of this machine elsewhere. */
  | (Row & {
      readonly kind: 'url'
      readonly example: string
      readonly isSafe?: true
      readonly hostsInRequests?: { readonly pattern: string; readonly fault: string }
    })
  /** `isTrimmed`: blanks around it are no part of it. `fallback`: the environment's value, which replaces an absent one. */
  | (Row & {
      readonly kind: 'secret'
      readonly isTrimmed?: true
      readonly inHeader?: true
      readonly isPrivateKey?: true
      readonly inFileOnly?: true
      readonly fallback?: 'azureTenantId' | 'azureClientId' | 'azureFederatedTokenFile'
    })
  /** The way to log in that chooses the form. `isDefault`: an absent one counts as this. */
  | (Row & { readonly kind: 'way'; readonly value: string; readonly isDefault?: true })
  | (Row & { readonly kind: 'count'; readonly min: number; readonly max: number; readonly default: number })
  /** The path of a file, which no request may name, or of a library, which it may where the environment lists it. */
  | (Row & { readonly kind: 'file'; readonly default?: string })
  | (Row & { readonly kind: 'address' | 'publicKey'; readonly example: string })
  | (Row & { readonly kind: 'library' })
  | (Row & { readonly kind: 'object' } & SignerForm)

export type RowOf<Kind extends SignerMember['kind']> = Extract<SignerMember, { readonly kind: Kind }>

/** The members of an object. */
export interface SignerForm {
  readonly title: string
  readonly note?: string
  readonly members: Readonly<Record<string, SignerMember>>
  /** Members of other forms: those that are not read in this one, and those that are refused. */
  readonly unread?: readonly string[]
  readonly refused?: readonly string[]
  readonly inFileOnly?: true
}

/** Whether the member may be absent from a `config`. */
export function mayBeAbsent(member: SignerMember): boolean {
  if (member.isOptional) return true
  if (member.kind === 'way') return member.isDefault === true
  if (member.kind === 'secret') return member.fallback !== undefined
  return 'default' in member
}

/** Whether answers show it: no secrets, and no files. */
export function isShown(member: SignerMember): boolean {
  if (member.kind === 'object') return Object.values(member.members).some(isShown)
  return member.kind !== 'secret' && member.kind !== 'file' && !('isHidden' in member)
}
