// An OpenAPI document with what it refers to in the place of each reference.

/** Throws for a reference that leads nowhere. */
export function dereferenced<T>(document: T): T {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve)
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...beside } = node as { readonly $ref?: unknown }
    if (typeof $ref !== 'string') {
      return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, resolve(member)]))
    }
    const target = $ref
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
    if (target === undefined) throw new Error(`nothing is at ${$ref}`)
    return { ...(resolve(target) as object), ...beside }
  }
  return resolve(document) as T
}
