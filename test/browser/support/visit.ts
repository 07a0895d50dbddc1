// A person at the dashboard: a page of a fresh browser profile, signed in or not, that reports what its policy refused.
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Service } from '../../../tooling/service.ts'

export interface Visit extends AsyncDisposable {
  readonly page: Page
  /** Errors of scripts, dialogs of injected ones, and everything that the policy of the page refused. */
  readonly faults: readonly string[]
}

/** Waits are bounded: a page that does not come fails its test. */
const patienceMs = 90_000

export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text())
  })
  return { page, faults, [Symbol.asyncDispose]: () => context.close() }
}

export async function signIn(page: Page, service: Service, key = service.apiKey): Promise<void> {
  await page.goto(`${service.url}/`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // Its buttons are in a menu on a phone.
  await page.locator('header.top').waitFor()
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

/** Each violation that axe finds, with the first element. Evaluated through the debugger, past the policy of the page. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<AxeResult>('axe.run()')
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
