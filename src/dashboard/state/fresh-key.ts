// Idempotency keys of requests from the browser.

export function freshKey(): string {
  return crypto.randomUUID()
}
