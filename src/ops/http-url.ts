// The URLs that the service calls: http or https, in the file and in requests alike.

/** A parser of URLs accepts more, such as blanks before it. */
export const httpUrlPattern = '^[hH][tT][tT][pP][sS]?://[^\\s/?#][^\\s]*$'

export function httpUrl(text: string): URL | undefined {
  return new RegExp(httpUrlPattern).test(text) ? (URL.parse(text) ?? undefined) : undefined
}
