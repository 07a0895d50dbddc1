// The reason of a revert, as it is stored: a contract may revert with a megabyte of text.

/** Stored and shown of a reason. */
export const revertTextMaxChars = 1_024

export function cutRevertText(text: string): string {
  return cutTo(text, revertTextMaxChars)
}

export function cutTo(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…`.toWellFormed() : text
}
