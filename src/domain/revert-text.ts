// The reason of a revert, as it is stored: a contract may revert with a megabyte of text.

/** Stored and shown of a reason. */
export const revertTextMaxChars = 1_024

/** `charsMax`: absent, of a reason. */
export function cutRevertText(text: string, charsMax = revertTextMaxChars): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…`.toWellFormed() : text
}
