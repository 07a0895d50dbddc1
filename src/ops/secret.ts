// A value that must not be seen. It can be logged, stringified and inspected: only `reveal()` returns it.
import { inspect } from 'node:util'
import type { Secret } from '../domain/settings.ts'

export type { Secret }

/** `shown` is the text that people see instead, such as the host of an RPC URL. */
export function secret(value: string, shown = '[secret]'): Secret {
  const show = () => shown
  // The value lives in a closure: no property, own or inherited, holds it.
  return Object.freeze(
    Object.defineProperties({} as Secret, {
      reveal: { value: () => value },
      toString: { value: show },
      // Enumerable, as the logger copies objects before it stringifies them.
      toJSON: { value: show, enumerable: true },
      [inspect.custom]: { value: show },
    }),
  )
}

/** Path, query and user info of a URL may all hold a provider's key: only the host is shown. */
export function secretUrl(url: URL): Secret {
  return secret(url.href, url.host)
}
