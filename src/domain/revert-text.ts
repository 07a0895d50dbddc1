// The reason of a revert, as it is stored: a contract may revert with a megabyte of text.

/** Stored and shown of a reason. */
export const revertTextMaxChars = 1_024

export function cutRevertText(text: string): string {
  return text.length > revertTextMaxChars ? `${text.slice(0, revertTextMaxChars - 1)}…`.toWellFormed() : text
}
