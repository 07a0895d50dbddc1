// Compares what nodes say in words that no table has.

/** The words without figures and addresses, which change from one answer to the next. Like words have equal ones. */
export function withoutFigures(words: string): string {
  return words.toLowerCase().replace(/0x[0-9a-f]+|\d+/g, '')
}
