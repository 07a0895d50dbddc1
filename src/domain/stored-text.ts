// Texts as rows hold them: without U+0000, and cut.

/** The most characters of a text; those of reverts have limits of their own. */
const charsMax = 500

/** A text as it is stored and shown. Rows hold no U+0000: with it, the stored text would differ from the original. */
export function shownText(text: string): string {
  const plain = text.replaceAll('\0', '')
  return plain.length > charsMax ? `${plain.slice(0, charsMax)}…` : plain
}

/** The most characters of a revert's reason: a contract may revert with a megabyte of text. */
export const revertTextMaxChars = 1_024

export function cutRevertText(text: string): string {
  return text.length > revertTextMaxChars ? `${text.slice(0, revertTextMaxChars - 1)}…`.toWellFormed() : text
}
