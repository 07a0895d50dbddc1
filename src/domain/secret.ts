// A value that must not be seen, as a type. `secret` in ops/secret.ts makes one.

export interface Secret {
  reveal(): string
  /** The text shown in its place. */
  toString(): string
}
