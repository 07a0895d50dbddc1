// Text as CSV (RFC 4180), for spreadsheets: a cell that would begin a formula there begins with an apostrophe.

/** Excel, LibreOffice and Google Sheets read these as the beginning of a formula, also after a tab or a carriage return. */
const beginsFormula = /^[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(text: string): string {
  const safe = beginsFormula.test(text) ? `'${text}` : text
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
