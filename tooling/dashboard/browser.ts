// Debian's Chromium, driven by playwright-core, which brings no browser of its own.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executables = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Undefined where none is installed. */
export const chromiumPath = executables.find((path) => existsSync(path))

export const chromiumMissing = 'Chromium is not installed (apt-get install chromium)'

/** Throws without Chromium. */
export async function openBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(chromiumMissing)
  return chromium.launch({
    executablePath: chromiumPath,
    // The sandbox needs rights that a container has not. The pages are this repository's own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars'],
  })
}
