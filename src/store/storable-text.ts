// Words of nodes and contracts, as every database can hold them.

/** Without U+0000, which PostgreSQL refuses in a text; null where there are none. */
export function storableText(text: string | undefined): string | null {
  return text?.replaceAll('\0', '') ?? null
}
