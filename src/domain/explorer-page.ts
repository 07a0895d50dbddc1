// The explorer of a network that a link may lead to. Lists of explorers often begin with the URL of an API, which shows people nothing.

/** The first of `urls` that is a page, else `listed`. No URL at all means that links are not wanted. */
export function explorerPage(urls: readonly string[], listed: string | undefined): string | undefined {
  if (urls.length === 0) return undefined
  return [...urls, ...(listed === undefined ? [] : [listed])].find(isPage)
}

/** A page is a URL to which `/tx/0x…` can be added, so without a query. */
export function isPage(text: string): boolean {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return false
  const labels = url.hostname.split('.')
  const segments = url.pathname.toLowerCase().split('/')
  return !labels.some((label) => /^api(-|$)|-api$/.test(label)) && !segments.some((each) => /^api(-|$)/.test(each))
}
