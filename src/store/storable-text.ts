// Texts from nodes and contracts, made storable in every database.

/** Removes U+0000, which PostgreSQL refuses in a text; null for no text. */
export function storableText(text: string | undefined): string | null {
  return text?.replaceAll('\0', '') ?? null
}
