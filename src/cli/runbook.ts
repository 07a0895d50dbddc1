// The address of a page of the runbook.

/** `path` as the API names it, at the service that answered. */
export function runbookAt(url: string, path: string): string {
  return `${url.replace(/\/+$/, '')}${path}`
}
