// Texts as rows hold them: without U+0000, and cut.

/** A contract may revert with a megabyte of words. */
const charsMax = 500

/** A text as it is stored and shown. Rows hold no U+0000: with it, the stored text would differ from the original. */
export function shownText(text: string): string {
  const plain = text.replaceAll('\0', '')
  return plain.length > charsMax ? `${plain.slice(0, charsMax)}…` : plain
}

/** Stored and shown of the reason of a revert. */
export const revertTextMaxChars = 1_024

/** `charsMax`: absent, of a reason. */
export function cutRevertText(text: string, charsMax = revertTextMaxChars): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…`.toWellFormed() : text
}
