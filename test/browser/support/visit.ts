// A person at the dashboard: a page of a fresh browser profile, signed in or not, that reports what its policy refused.
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from '../../../tooling/dashboard/browser.ts'
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

export interface Desk<S> extends AsyncDisposable {
  readonly scene: S
  readonly browser: Browser
  readonly operator: Visit
}

/** A browser before a scene, and an operator who is signed in. */
export async function openDesk<S extends AsyncDisposable & { readonly service: Service }>(
  setScene: () => Promise<S>,
  options: BrowserContextOptions = {},
): Promise<Desk<S>> {
  await using opened = new AsyncDisposableStack()
  const browser = opened.adopt(await openBrowser(), (each) => each.close())
  const scene = opened.use(await setScene())
  const operator = opened.use(await visit(browser, options))
  await signIn(operator.page, scene.service)
  const all = opened.move()
  return { scene, browser, operator, [Symbol.asyncDispose]: () => all.disposeAsync() }
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
